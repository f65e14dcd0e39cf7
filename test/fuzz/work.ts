import { Session } from "node:inspector";
import type { Profiler } from "node:inspector";

// Counts the work of a function instead of timing it: how often each block of the service's code runs (V8's precise
// coverage), and how many characters it passes to the built-in functions that read strings.

const session = new Session();

function post(method: string, params: object = {}): unknown {
  let answer: unknown;
  // This session is in the same thread, so that the answer is there when `post` returns.
  session.post(method, params, (problem: Error | null, result: unknown) => {
    if (problem) throw problem;
    answer = result;
  });
  return answer;
}

/** Code whose blocks are counted: the service's, and what it parses with. */
const COUNTED = /\/src\/|\/node_modules\/(?:zod|hono|libphonenumber-js)\//u;

let characters = 0;

/** Replaces a method by one that also counts the characters that it may read. */
function charge(
  owner: object,
  name: string | symbol,
  cost: (self: string, args: unknown[], result: unknown) => number,
) {
  const method = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
  Reflect.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value(this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(method, this, args);
      characters += 1 + cost(String(this), args, result);
      return result;
    },
  });
  return () => Reflect.defineProperty(owner, name, { configurable: true, writable: true, value: method });
}

/** Characters between the start of a search and what it found, or the end of the text. */
const searched = (self: string, [, from]: unknown[], found: unknown) =>
  (Number(found) < 0 ? self.length : Number(found)) - Number(from ?? 0);

const whole = (self: string) => self.length;

/** Patches what reads strings; returns what undoes it. Searches with patterns all go through `exec` (ECMA-262 §22.2.7.1). */
function chargeStrings(): () => void {
  const { prototype: text } = String;
  const { prototype: pattern } = RegExp;
  const exec = Reflect.get(pattern, "exec");
  Reflect.defineProperty(pattern, "exec", {
    configurable: true,
    writable: true,
    value(this: RegExp, given: string) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const found = Reflect.apply(exec, this, [given]);
      const end = found ? found.index + found[0].length : this.sticky ? from : given.length;
      characters += 1 + Math.max(0, end - from);
      return found;
    },
  });
  const undo = [
    charge(text, "indexOf", searched),
    charge(text, "includes", whole),
    charge(text, "trim", whole),
    charge(text, "toLowerCase", whole),
    charge(text, "toWellFormed", whole),
    charge(text, "isWellFormed", whole),
    charge(text, "normalize", whole),
    charge(text, "replaceAll", whole),
    charge(text, Symbol.iterator, whole),
    // A split by a pattern goes through `exec`, of a copy that tries each place.
    charge(text, "split", (self, [by]) => (typeof by === "string" ? self.length : 0)),
    charge(text, "slice", (_, __, result) => String(result).length),
  ];
  return () => {
    for (const restore of undo) restore();
    Reflect.defineProperty(pattern, "exec", { configurable: true, writable: true, value: exec });
  };
}

/** Begins to count; only modules that are imported afterwards are counted block by block. */
export function startCounting(): void {
  session.connect();
  post("Profiler.enable");
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

export function stopCounting(): void {
  post("Profiler.stopPreciseCoverage");
  session.disconnect();
}

/** The work of a function: blocks that ran and characters that were read. The same for the same input. */
export async function workOf(run: () => unknown): Promise<number> {
  post("Profiler.takePreciseCoverage");
  characters = 0;
  const undo = chargeStrings();
  try {
    await run();
  } finally {
    undo();
  }
  const { result } = post("Profiler.takePreciseCoverage") as Profiler.TakePreciseCoverageReturnType;
  const ranges = result
    .filter(({ url }) => COUNTED.test(url))
    .flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
  return characters + ranges.reduce((sum, { count }) => sum + count, 0);
}
