import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { randomId } from "../crypto/ids.ts";
import { storeEnded, storeRaised } from "../db/health/alerts.ts";
import type { NoticeTexts } from "../db/health/alerts.ts";
import { logLine, logProblem } from "../log.ts";
import { ALERT_KINDS } from "../model/alert.ts";
import type { AlertKind, AlertValues } from "../model/alert.ts";
import { withoutNumbers } from "./without-numbers.ts";

// Alerts: what the operator has to know of. A log line always; a row in D1, which the desk shows; and where a channel
// is configured, notices of the beginning and the end (channel.ts).

/** What is raised. Values and subject name no person; longer numbers in them are cut all the same. */
export interface AlertRaised {
  kind: AlertKind;
  /** What it is about, such as a queue or an account's id, where a kind has several. */
  subject?: string;
  values: AlertValues;
}

/** The texts of notices; null where no channel is configured. */
export function noticeTexts(config: Config): NoticeTexts | null {
  if (config.ALERT_URL === undefined) return null;
  return { meaning: (kind) => ALERT_KINDS[kind].meaning, runbook: (kind) => `docs/runbook.md#${kind}` };
}

/**
 * Begins an alert, or says that it goes on: one row for each kind and subject, however often it is raised. Never throws:
 * an alert that cannot be stored is still logged.
 */
export async function raiseAlert(env: Env, raised: AlertRaised, nowMs = Date.now()): Promise<void> {
  const { kind } = raised;
  const subject = withoutNumbers(raised.subject ?? "");
  const values = Object.fromEntries(
    Object.entries(raised.values).map(([name, value]) => [
      name,
      typeof value === "string" ? withoutNumbers(value) : value,
    ]),
  );
  logLine("alert", { what: ALERT_KINDS[kind].what, kind, ...(subject !== "" && { subject }), ...values });
  try {
    const episode = randomId("alert");
    await storeRaised(env.DB, { kind, subject, values, episode }, noticeTexts(configOf(env)), nowMs);
  } catch (problem) {
    logProblem("alert", problem);
  }
}

/**
 * Ends an alert; nothing happens where none is open, and where it was raised at `before` (ms) or later. Never throws: an
 * end that cannot be stored is logged, and the next one counts.
 */
export async function endAlert(
  env: Env,
  kind: AlertKind,
  subject = "",
  { nowMs = Date.now(), before }: { nowMs?: number; before?: number } = {},
): Promise<void> {
  try {
    const which = { kind, subject: withoutNumbers(subject), ...(before !== undefined && { before }) };
    if (!(await storeEnded(env.DB, which, noticeTexts(configOf(env)), nowMs))) return;
    const line = { what: ALERT_KINDS[kind].what, kind, ...(subject !== "" && { subject: which.subject }) };
    logLine("alert_ended", line);
  } catch (problem) {
    logProblem("alert", problem);
  }
}
