import { pingHistory } from "../db/history.ts";
import { logProblem } from "../log.ts";
import type { DispatchJob } from "../queues/jobs.ts";

/** How to call each part that the service depends on, by its name in `/readyz`. */
const PARTS: Record<string, (env: Env) => Promise<unknown>> = {
  "account objects": (env) => env.ACCOUNT.getByName("readiness").ping(),
  D1: (env) => pingHistory(env.DB),
  R2: (env) => env.RECORDINGS.head("readiness"),
  // A job without rows, which the consumer drops.
  queues: (env) => env.DISPATCH.send({ kind: "follow", account: "readiness", seqs: [] } satisfies DispatchJob),
};

/** How long a result is reused, so that frequent probes cost nothing extra. */
const KEPT_MS = 2_000;

/** Keeps results, not promises: a promise belongs to its request, and never settles for others once that one ends. */
const kept = new WeakMap<Env, { missing: string[]; askedAtMs: number }>();

/** The names of the parts that do not answer; empty if the service is ready. */
export async function missingParts(env: Env): Promise<string[]> {
  const known = kept.get(env);
  if (known && Math.abs(Date.now() - known.askedAtMs) < KEPT_MS) return known.missing;
  const missing = await askParts(env);
  kept.set(env, { missing, askedAtMs: Date.now() });
  return missing;
}

async function askParts(env: Env): Promise<string[]> {
  const answers = await Promise.all(
    Object.entries(PARTS).map(async ([name, ask]) => {
      try {
        await ask(env);
        return null;
      } catch (problem) {
        logProblem(`readyz ${name}`, problem);
        return name;
      }
    }),
  );
  return answers.filter((name) => name !== null);
}
