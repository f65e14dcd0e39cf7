import type { Said } from "../model/said.ts";
import type { Failure } from "./errors.ts";

// How a page that sends through the API learns the code and values of the reply. The reply's bytes are the same for
// every client, so that this goes beside them: the page listens to its request before it sends it.

/** The outcome of a request: exactly one of the two, once the request is answered by a route that reports it. */
export interface Told {
  failure?: Failure;
  said?: Said;
}

const listened = new WeakMap<Request, Told>();

/** The outcome of this request, which is filled in while it is answered in this invocation. */
export function listen(request: Request): Told {
  const told: Told = {};
  listened.set(request, told);
  return told;
}

/** Reports the outcome of a request, if a page listens to it. */
export function tell(request: Request, outcome: Told): void {
  Object.assign(listened.get(request) ?? {}, outcome);
}
