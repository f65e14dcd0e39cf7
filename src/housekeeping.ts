import { healAlarms } from "./accounts/heal.ts";
import { rebuildSome } from "./accounts/rebuild.ts";
import { watchDatabases } from "./alerts/databases.ts";
import { recountAccounts } from "./accounts/recount-all.ts";
import { planArchives } from "./accounts/archives.ts";
import { forgetRefusals } from "./accounts/forget-refusals.ts";
import { noteSecrets } from "./accounts/secrets.ts";
import { tendAlerts } from "./alerts/tend.ts";
import { forgetOldActs } from "./audit/trail.ts";
import { carryErasures } from "./leaving/advance.ts";
import { logProblem } from "./log.ts";
import { keepBinds } from "./operator/carrier-set/binds.ts";
import { resealCarriers } from "./operator/carrier-set/reseal.ts";
import { checkHealth } from "./operator/health-checks.ts";
import { checkDueOrders, watchPayments } from "./payments/checks.ts";
import { forgetOldAttempts } from "./sign-in/attempts.ts";
import { forgetOldChallenges } from "./sign-in/challenges.ts";
import { forgetSpeech } from "./speech/sweep.ts";
import { settleNextPhones } from "./sign-in/phone-change.ts";
import { forgetSessions } from "./sign-in/sessions.ts";

// Periodic work, every few minutes. The tasks run one after the other; one that fails does not stop the others.

const WORK: readonly ((env: Env, nowMs: number) => Promise<void>)[] = [
  forgetSessions,
  forgetOldChallenges,
  forgetOldAttempts,
  settleNextPhones,
  checkDueOrders,
  watchPayments,
  forgetOldActs,
  forgetRefusals,
  healAlarms,
  rebuildSome,
  watchDatabases,
  recountAccounts,
  planArchives,
  checkHealth,
  noteSecrets,
  resealCarriers,
  keepBinds,
  carryErasures,
  forgetSpeech,
  // The last one: what was raised before leaves at once.
  tendAlerts,
];

/** Runs every task once. Never throws: a failure is logged, and the next run tries again. */
export async function housekeeping(env: Env, nowMs: number): Promise<void> {
  for (const work of WORK) await work(env, nowMs).catch((problem: unknown) => logProblem("housekeeping", problem));
}
