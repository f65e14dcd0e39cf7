import { logProblem } from "./log.ts";
import { checkDueOrders } from "./payments/orders.ts";
import { forgetOldAttempts } from "./sign-in/attempts.ts";
import { forgetOldChallenges } from "./sign-in/challenges.ts";
import { forgetSessions } from "./sign-in/sessions.ts";

// What is done every few minutes, whoever asks: each piece by itself, so that one that fails stops no other.

const WORK: readonly ((env: Env, nowMs: number) => Promise<void>)[] = [
  forgetSessions,
  forgetOldChallenges,
  forgetOldAttempts,
  checkDueOrders,
];

/** The scheduled handler's work. Never throws: the next run comes anyway. */
export async function housekeeping(env: Env, nowMs: number): Promise<void> {
  for (const work of WORK) await work(env, nowMs).catch((problem: unknown) => logProblem("housekeeping", problem));
}
