import { sizeOf } from "../db/health/fill.ts";
import { historyDatabases } from "../db/history-databases.ts";
import { logProblem } from "../log.ts";
import { LANES } from "../model/lane.ts";
import { placeOf } from "../objects.ts";
import type { FollowJob } from "../queues/jobs.ts";
import { laneQueue } from "../queues/lanes.ts";

/** How to call each part that the service depends on, by its name in `/readyz`. */
const PARTS: Record<string, (env: Env) => Promise<unknown>> = {
  "account objects": (env) => env.ACCOUNT.getByName("readiness", placeOf(env)).ping(),
  D1: (env) => sizeOf(env.DB),
  history: (env) => Promise.all(historyDatabases(env).map(({ database }) => sizeOf(database))),
  R2: (env) => env.RECORDINGS.head("readiness"),
  // A job without rows, which the consumer drops.
  queues: (env) =>
    Promise.all(
      LANES.map((lane) => {
        const job: FollowJob = { kind: "follow", account: "readiness", lane, seqs: [] };
        return laneQueue(env, lane).send(job);
      }),
    ),
};

/** How long an answer is reused, so that frequent probes cost nothing extra. */
const KEPT_MS = 2_000;

/** The same for an answer of the queues: asking them costs a message, and anyone may probe. */
const QUEUES_KEPT_MS = 60_000;

interface Answer {
  isThere: boolean;
  untilMs: number;
}

/** Keeps answers, not promises: a promise belongs to its request, and never settles for others once that one ends. */
const kept = new WeakMap<Env, Map<string, Answer>>();

/** The names of the parts that do not answer; empty if the service is ready. */
export async function missingParts(env: Env): Promise<string[]> {
  const known = kept.get(env) ?? new Map<string, Answer>();
  kept.set(env, known);
  const names = Object.keys(PARTS);
  const there = await Promise.all(names.map((name) => isThere(env, name, known)));
  return names.filter((_, at) => there[at] === false);
}

async function isThere(env: Env, name: string, known: Map<string, Answer>): Promise<boolean> {
  const before = known.get(name);
  const nowMs = Date.now();
  // An answer from the future was given before the clock was set back.
  if (before && nowMs < before.untilMs && before.untilMs - nowMs <= QUEUES_KEPT_MS) return before.isThere;
  const answer = await ask(env, name);
  const keptMs = name === "queues" && answer ? QUEUES_KEPT_MS : KEPT_MS;
  known.set(name, { isThere: answer, untilMs: Date.now() + keptMs });
  return answer;
}

async function ask(env: Env, name: string): Promise<boolean> {
  try {
    await PARTS[name]?.(env);
    return true;
  } catch (problem) {
    logProblem(`readyz ${name}`, problem);
    return false;
  }
}
