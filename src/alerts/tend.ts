import { configOf } from "../config/config.ts";
import { deleteEndedAlerts, openAlerts, storeReminder } from "../db/health/alerts.ts";
import { ALERT_KINDS } from "../model/alert.ts";
import { endAlert, noticeTexts } from "./alerts.ts";
import { deliverNotices } from "./channel.ts";

// What the cron does about alerts, after everything that raises or ends some.

/** An open alert is reminded of so often, in ms. */
const REMINDER_MS = 86_400_000;

/** Ended alerts are kept so long for the desk, in ms. */
const ENDED_KEPT_MS = 90 * 86_400_000;

/** Open alerts that one run looks at; there are as many as kinds and subjects that are in trouble. */
const OPEN_MAX = 500;

/** Ends alerts whose cause was not seen for long, reminds of those that go on, and delivers the notices. */
export async function tendAlerts(env: Env, nowMs: number): Promise<void> {
  const texts = noticeTexts(configOf(env));
  for (const { kind, subject, lastAt, noticedAt } of await openAlerts(env.DB, OPEN_MAX)) {
    const { quietMs } = ALERT_KINDS[kind];
    const quietBefore = quietMs === null ? null : nowMs - quietMs;
    if (quietBefore !== null && lastAt < quietBefore) {
      await endAlert(env, kind, subject, { nowMs, before: quietBefore });
    } else if (texts !== null && noticedAt < nowMs - REMINDER_MS) {
      await storeReminder(env.DB, { kind, subject, before: nowMs - REMINDER_MS }, texts, nowMs);
    }
  }
  await deliverNotices(env, nowMs);
  await deleteEndedAlerts(env.DB, nowMs - ENDED_KEPT_MS);
}
