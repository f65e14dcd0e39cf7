import { pingHistory } from "./db/history.ts";
import { logProblem } from "./log.ts";
import type { DispatchJob } from "./queues/jobs.ts";

/** What the service stands on, by the name that `/readyz` gives it. */
const PARTS: Record<string, (env: Env) => Promise<unknown>> = {
  "account objects": (env) => env.ACCOUNT.getByName("readiness").ping(),
  D1: (env) => pingHistory(env.DB),
  R2: (env) => env.RECORDINGS.head("readiness"),
  // A job without rows: the consumer drops it.
  queues: (env) => env.DISPATCH.send({ kind: "follow", account: "readiness", seqs: [] } satisfies DispatchJob),
};

/** The parts that do not answer; none when the service is ready. */
export async function missingParts(env: Env): Promise<string[]> {
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
