import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import type { AlertRaised } from "../alerts/alerts.ts";
import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { writeCursor } from "../db/cursors.ts";
import { foldTallies } from "../db/observed.ts";
import type { AlertKind, AlertValues } from "../model/alert.ts";
import { deliveredShare, endedIn } from "../model/delivery.ts";
import type { Lane } from "../model/lane.ts";
import { CRON_CURSOR, healthOf } from "./health.ts";
import type { Health } from "./health.ts";

// Which alerts the service's health raises and ends. Each begins at one bound and ends at an easier one, so that a figure
// which moves around its bound is one alert; what is not known begins none and ends none.

/** Of `ALERT_QUEUE_AGE_MS`: one-time passwords live five minutes, and a bulk may be hours of its carrier's pace. */
const AGE_FACTOR: Record<Lane | "history", number> = { otp: 1 / 15, single: 1, bulk: 8, history: 1 };

/** A wait was the account's word up to so long ago, in ms: since then the message may have left. */
const WORD_MS = 1_200_000;

/** Fewer messages in an hour say nothing of a carrier. */
const ENDED_MIN = 50;

/** The delivery rate is well again at so many points above the bound. */
const POINTS_OVER = 5;

/** A carrier that takes nothing for so long is an alert, in ms; a shorter silence is its pace. */
const SILENT_MS = 300_000;

/** Refusals that are older than this say nothing of now, in ms: none has been tried since. */
const REFUSAL_MS = 900_000;

/** The cron runs every five minutes; after so long without it something is wrong, in ms. */
const CRON_LATE_MS = 900_000;

/** What was looked at, and how it is. `fair`: neither bad nor well, so an open alert stays. */
interface Finding {
  kind: AlertKind;
  subject: string;
  state: "bad" | "fair" | "well";
  values: AlertValues;
}

const seconds = (ms: number) => Math.max(0, Math.round(ms / 1_000));

/** Bad from the bound on, well below half of it. */
function ofAge(subject: string, ageMs: number, boundMs: number, values: AlertValues): Finding {
  const state = ageMs >= boundMs ? "bad" : ageMs < boundMs / 2 ? "well" : "fair";
  return { kind: "queue_age", subject, state, values: { ...values, age_sec: seconds(ageMs) } };
}

function ages({ at, queues, waits, pace }: Health, boundMs: number): Finding[] {
  const ofQueues = (queues ?? []).flatMap(({ queue, waiting, oldestAt }) =>
    waiting === null
      ? []
      : [
          ofAge(`queue ${queue}`, oldestAt === null ? 0 : at - oldestAt, boundMs * AGE_FACTOR[queue], {
            queue,
            messages: waiting,
          }),
        ],
  );
  const ofWaits = (waits ?? []).map(({ lane, carrier, accounts, oldestAt, seenAt }) => {
    // What is certain: the age at the account's word, or a word that was never taken back.
    const ageMs = Math.max(seenAt - oldestAt, at - oldestAt - WORD_MS);
    return ofAge(`wait ${lane} ${carrier}`, ageMs, boundMs * AGE_FACTOR[lane], { lane, carrier, accounts });
  });
  const claimed = pace === null || pace === "none" ? [] : Object.entries(pace.standing.oldestMs);
  const ofPace = claimed.map(([name, createdMs]) => {
    const [lane, carrier] = [name as Lane, pace === null || pace === "none" ? "" : pace.carrier];
    return ofAge(`pace ${lane} ${carrier}`, at - createdMs, boundMs * AGE_FACTOR[lane], { lane, carrier });
  });
  return [...ofQueues, ...ofWaits, ...ofPace];
}

function deliveries({ lastHour }: Health, percentMin: number): Finding[] {
  return (lastHour ?? []).map((tally) => {
    const ended = endedIn(tally);
    const percent = Math.round(1_000 * (deliveredShare(tally) ?? 1)) / 10;
    const isWell = ended < ENDED_MIN || percent >= Math.min(100, percentMin + POINTS_OVER);
    const state = ended >= ENDED_MIN && percent < percentMin ? "bad" : isWell ? "well" : "fair";
    const { carrier, delivered } = tally;
    return { kind: "carrier_delivery", subject: carrier, state, values: { carrier, ended, delivered, percent } };
  });
}

function silence({ at, pace }: Health): Finding[] {
  if (pace === null || pace === "none") return [];
  const { carrier, standing } = pace;
  const { refusedSinceMs, refusedLastMs, quietMs } = standing;
  const isFresh = refusedLastMs !== null && at - refusedLastMs < REFUSAL_MS;
  const refusingMs = refusedSinceMs !== null && isFresh ? at - refusedSinceMs : 0;
  const state = Math.max(refusingMs, quietMs) >= SILENT_MS ? "bad" : refusingMs + quietMs > 0 ? "fair" : "well";
  const values = { carrier, refusing_sec: seconds(refusingMs), silence_sec: seconds(quietMs) };
  return [{ kind: "carrier_silent", subject: carrier, state, values }];
}

function letters({ deadLetters }: Health): Finding[] {
  if (deadLetters === null) return [];
  const { count } = deadLetters;
  return [{ kind: "dead_letters", subject: "", state: count > 0 ? "bad" : "well", values: { kept: count } }];
}

function cron({ at, cronAt }: Health): Finding[] {
  if (typeof cronAt !== "number" || at - cronAt < CRON_LATE_MS) return [];
  return [{ kind: "cron_late", subject: "", state: "bad", values: { gap_sec: seconds(at - cronAt) } }];
}

/** Kinds of which a subject that is not looked at any more is over, and the part of health that has to be known for it. */
const GONE_IS_WELL = {
  queue_age: ({ queues, waits, pace }: Health) => queues !== null && waits !== null && pace !== null,
  carrier_delivery: ({ lastHour }: Health) => lastHour !== null,
} as const;

/** What health says: the alerts to raise, and the open ones to end. */
export function judge(
  health: Health,
  { ALERT_QUEUE_AGE_MS, ALERT_DELIVERY_PERCENT }: Pick<Config, "ALERT_QUEUE_AGE_MS" | "ALERT_DELIVERY_PERCENT">,
): { raise: AlertRaised[]; end: { kind: AlertKind; subject: string }[] } {
  const findings = [
    ...ages(health, ALERT_QUEUE_AGE_MS),
    ...deliveries(health, ALERT_DELIVERY_PERCENT),
    ...silence(health),
    ...letters(health),
    ...cron(health),
  ];
  const end = (health.alerts ?? []).filter(({ kind, subject }) => {
    const found = findings.find((one) => one.kind === kind && one.subject === subject);
    if (found) return found.state === "well";
    return (kind === "queue_age" || kind === "carrier_delivery") && GONE_IS_WELL[kind](health);
  });
  return {
    raise: findings
      .filter(({ state }) => state === "bad")
      .map(({ kind, subject, values }) => ({ kind, subject, values })),
    end: end.map(({ kind, subject }) => ({ kind, subject })),
  };
}

/** Looks at the service's health, raises and ends alerts by it, and notes that the cron ran. */
export async function checkHealth(env: Env, nowMs: number): Promise<void> {
  const health = await healthOf(env, nowMs);
  const { raise, end } = judge(health, configOf(env));
  for (const { kind, subject } of end) await endAlert(env, kind, subject, { nowMs });
  for (const raised of raise) await raiseAlert(env, raised, nowMs);
  await writeCursor(env.DB, CRON_CURSOR, String(nowMs));
  await foldTallies(env.DB, nowMs);
}
