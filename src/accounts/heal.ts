import { raiseAlert } from "../alerts/alerts.ts";
import { logLine } from "../log.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { walkOn } from "./walk.ts";
import type { Walk } from "./walk.ts";

// An account's alarm carries its open work, and sees to its own next ring. Should it be lost all the same (the platform gives
// up an alarm that fails too often), it comes back with the next request to the account; for an account that gets none, the
// periodic work asks here. A healthy account answers one call, and writes nothing.

/**
 * Accounts that history says may have open work, each within an hour or two; then all others, whose alarm may have been
 * lost before history heard of them: a walk a day, or as long as it takes.
 */
const WALKS: readonly Walk[] = [
  { name: "heal watched accounts", everyMs: 3_600_000, perRun: 300, watched: true },
  { name: "heal all accounts", everyMs: 86_400_000, perRun: 200, watched: false },
];

/** Sets the alarms again that were lost, of the accounts whose turn it is; the scheduled handler calls it. */
export async function healAlarms(env: Env, nowMs: number): Promise<void> {
  let healed = 0;
  const heal = async (ref: AccountRef): Promise<void> => {
    const wasLost: boolean | null = await objectOf(env, ref).heal();
    if (wasLost !== true) return;
    healed += 1;
    logLine("alarm_healed", { account: ref.accountId, mode: ref.mode });
  };
  for (const walk of WALKS) await walkOn(env, walk, nowMs, heal);
  if (healed > 0) await raiseAlert(env, { kind: "alarm_healed", values: { accounts: healed } }, nowMs);
}
