import service from "./dastak.js";

// Lets a test call the objects of a carrier's binds, as the service itself does.

export * from "./dastak.js";

/** Path of the test's requests to this module; the service itself has nothing there. */
const CONTROL = "/__smpp";

async function control(request, env) {
  const { name, method, args } = await request.json();
  try {
    return Response.json({ value: (await env.SMPP.getByName(name)[method](...args)) ?? null });
  } catch (problem) {
    return Response.json({ broken: String(problem) });
  }
}

export default {
  ...service,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === CONTROL) return control(request, env);
    return service.fetch(request, env, ctx);
  },
};
