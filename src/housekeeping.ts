import { forgetOldActs } from "./audit/trail.ts";
import { carryErasures } from "./leaving/advance.ts";
import { logProblem } from "./log.ts";
import { checkDueOrders } from "./payments/orders.ts";
import { forgetOldAttempts } from "./sign-in/attempts.ts";
import { forgetOldChallenges } from "./sign-in/challenges.ts";
import { settleNextPhones } from "./sign-in/phone-change.ts";
import { forgetSessions } from "./sign-in/sessions.ts";

// Periodic work, every few minutes. The tasks run one after the other; one that fails does not stop the others.

const WORK: readonly ((env: Env, nowMs: number) => Promise<void>)[] = [
  forgetSessions,
  forgetOldChallenges,
  forgetOldAttempts,
  settleNextPhones,
  checkDueOrders,
  forgetOldActs,
  carryErasures,
];

/** Runs every task once. Never throws: a failure is logged, and the next run tries again. */
export async function housekeeping(env: Env, nowMs: number): Promise<void> {
  for (const work of WORK) await work(env, nowMs).catch((problem: unknown) => logProblem("housekeeping", problem));
}
