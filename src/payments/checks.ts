import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import { readCursor, writeCursor } from "../db/cursors.ts";
import { ordersToCheck } from "../db/orders.ts";
import { stuckPaymentEvents } from "../db/payment-events.ts";
import { logProblem } from "../log.ts";
import { watchDisputes } from "./disputes.ts";
import { askAbout } from "./orders.ts";

// The checks of orders whose webhook did not come, and what the operator must know of payments.

/**
 * Orders that one run checks at most. An order has six checks, and a day 288 runs: enough for 4,800 orders a day, and with
 * two to four calls for each order far below the 1,000 that an invocation may make.
 */
const CHECKED_PER_RUN = 100;

/** A run begins no check after so long, in ms: the provider may be slow, and the run's other tasks wait. */
const RUN_MS = 60_000;

/** Checks that run side by side, so that one which waits for its answer does not hold up the others. */
const AT_ONCE = 5;

/** An order that waits so long for its check fell behind, in ms: the runs do not keep up. */
const BEHIND_MS = 3_600_000;

/** Checks in a row that the provider left without an answer, from which on the operator must know. */
const SILENT_MAX = 3;

/** Where the checks without an answer are counted, from run to run. */
const SILENT = "payments_silent";

/** Checks the orders that are due, the longest due first, a few at once; the scheduled handler calls it. */
export async function checkDueOrders(env: Env, nowMs: number): Promise<void> {
  const due = await ordersToCheck(env.DB, nowMs, CHECKED_PER_RUN);
  const beganMs = Date.now();
  let [answered, silent] = [0, 0];
  async function checkNext(): Promise<void> {
    for (let order = due.shift(); order && Date.now() - beganMs < RUN_MS; order = due.shift()) {
      try {
        const checked = await askAbout(env, order, nowMs);
        if (checked === "answered") answered += 1;
        if (checked === "silent") silent += 1;
      } catch (problem) {
        silent += 1;
        logProblem("payments", problem);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, checkNext));
  if (answered > 0) await writeCursor(env.DB, SILENT, null);
  else if (silent > 0) await writeCursor(env.DB, SILENT, String(Number(await readCursor(env.DB, SILENT)) + silent));
}

/** Raises and ends the alerts of disputes, of events that await the operator, and of orders that cannot be checked. */
export async function watchPayments(env: Env, nowMs: number): Promise<void> {
  await watchDisputes(env);
  const kind = "payment_event_stuck";
  const { count, since } = await stuckPaymentEvents(env.DB);
  if (count > 0) {
    const oldest = since === null ? null : new Date(since).toISOString();
    await raiseAlert(env, { kind, subject: "events", values: { events: count, oldest } });
  } else await endAlert(env, kind, "events");
  const unanswered = Number(await readCursor(env.DB, SILENT));
  const [behind] = await ordersToCheck(env.DB, nowMs - BEHIND_MS, 1);
  if (behind || unanswered >= SILENT_MAX) {
    const oldest = behind?.checkAt ? new Date(behind.checkAt).toISOString() : null;
    await raiseAlert(env, { kind, subject: "checks", values: { unanswered, oldest_due: oldest } });
  } else await endAlert(env, kind, "checks");
}
