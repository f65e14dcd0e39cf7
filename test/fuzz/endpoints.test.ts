import { expect, it, vi } from "vitest";
import { ENDPOINTS } from "./wire-endpoints.ts";

// The fuzzers' list of endpoints is complete.

// The routes import constants from the files of the object classes; nothing of the platform runs here.
vi.mock("cloudflare:workers", () => ({ DurableObject: Object }));

it("lists every endpoint of every base for the fuzzers, and nothing else", async () => {
  const { APPS } = await import("../../src/routes/index.ts");
  const endpointsOf = (base: keyof typeof APPS) => {
    const routes = APPS[base]().routes.filter(({ method }) => method !== "ALL");
    return [...new Set(routes.map(({ method, path }) => `${method} ${path}`))].toSorted();
  };
  const listed = ENDPOINTS.map(({ name }) => name);
  expect(listed.toSorted()).toEqual(endpointsOf("all"));
  expect(new Set(listed).size).toBe(listed.length);
  // Every base serves the health endpoints; the list has them once.
  for (const base of ["sms", "tts", "voice", "otp", "console"] as const) {
    const own = ENDPOINTS.filter((endpoint) => endpoint.base === base || /^\/(?:health|ready)z$/u.test(endpoint.path));
    expect(own.map(({ name }) => name).toSorted()).toEqual(endpointsOf(base));
  }
});
