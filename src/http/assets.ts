import { logProblem } from "../log.ts";
import { failBy } from "./errors.ts";

// The static files of this version: made by the build, deployed with the Worker and reached through it alone.

/** What the environment of an isolate has read. The files of a version never change. */
const read = new WeakMap<Env, Map<string, ArrayBuffer>>();

/**
 * The bytes of a file, by its name in the folder `assets`; read once in an isolate. Where it cannot be read, the request
 * ends with 503. The caller changes nothing in them.
 */
export async function asset(env: Env, name: string): Promise<ArrayBuffer> {
  const known = read.get(env) ?? new Map<string, ArrayBuffer>();
  read.set(env, known);
  const bytes = known.get(name) ?? (await fetched(env, name));
  known.set(name, bytes);
  return bytes;
}

/** A request of its own for each caller that finds nothing yet: none may wait for the I/O of another request. */
async function fetched(env: Env, name: string): Promise<ArrayBuffer> {
  try {
    // The host means nothing to the binding.
    const reply = await env.ASSETS.fetch(`https://assets.invalid/${name}`);
    if (reply.status !== 200) throw new Error(`${name} is answered with ${reply.status}`);
    return await reply.arrayBuffer();
  } catch (problem) {
    logProblem("assets", problem);
    return failBy("unavailable", { id: "not_readable" }, { headers: { "Retry-After": "5" } });
  }
}
