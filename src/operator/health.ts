import { waitingNotices } from "../db/health/alert-notices.ts";
import { openAlerts } from "../db/health/alerts.ts";
import { readCursor } from "../db/cursors.ts";
import { databaseFill } from "../db/health/fill.ts";
import type { DatabaseFill } from "../db/health/fill.ts";
import { keptDeadLetters, quarantinedEvents } from "../db/health/counts.ts";
import type { Waiting } from "../db/health/counts.ts";
import { talliesSince, waitsByLane } from "../db/health/observed.ts";
import { logProblem } from "../log.ts";
import type { Alert } from "../model/alert.ts";
import type { Tally } from "../model/delivery.ts";
import type { Lane } from "../model/lane.ts";
import type { PaceStanding } from "../model/pace.ts";
import { paceStanding } from "../queues/pace-standing.ts";
import { queueDepths } from "./queue-depths.ts";
import type { Depth } from "./queue-depths.ts";

// How the service does, from what is written down anyway: a few queries of D1 on small tables, one call of the pacing
// object, and the queues' own figures. Nothing walks over accounts, and a part that does not answer is null.

/** The hour that deliveries are shown for, and how far behind history is, in ms. */
export const HOUR_MS = 3_600_000;

/** Open alerts that are read. */
const ALERTS_MAX = 200;

/** Under this name the cron notes when it ran last. */
export const CRON_CURSOR = "cron";

/** Messages of a lane that have waited long for a carrier, as their accounts said when history asked them last. */
export interface LaneWait {
  lane: Lane;
  carrier: string;
  accounts: number;
  oldestAt: number;
  seenAt: number;
}

/** Every part is null where it is not known. Times in ms since the epoch. */
export interface Health {
  at: number;
  queues: Depth[] | null;
  waits: LaneWait[] | null;
  /** How messages ended, by carrier: recorded in the last hour, and in all. */
  lastHour: Tally[] | null;
  ever: Tally[] | null;
  /** `standing` is null where the carrier has no pace. */
  pace: { carrier: string; standing: PaceStanding } | "none" | null;
  databases: DatabaseFill[] | null;
  paymentEvents: Waiting | null;
  deadLetters: Waiting | null;
  alerts: Alert[] | null;
  notices: { waiting: number; oldestAt: number | null } | null;
  /** When the cron ran last; "never" before its first run. */
  cronAt: number | "never" | null;
}

async function known<T>(part: string, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (problem) {
    logProblem(`health: ${part}`, problem);
    return null;
  }
}

/** How many alerts are open; null where it is not known. */
export async function openAlertCount(env: Env): Promise<number | null> {
  return (await known("alerts", openAlerts(env.DB, ALERTS_MAX)))?.length ?? null;
}

async function cronAt(env: Env): Promise<number | "never"> {
  const noted = await readCursor(env.DB, CRON_CURSOR);
  return noted === null ? "never" : Number(noted);
}

/** The health of the service now. Never throws. */
export async function healthOf(env: Env, nowMs: number): Promise<Health> {
  const [queues, waits, lastHour, ever, pace, databases, paymentEvents, deadLetters, alerts, notices, cron] =
    await Promise.all([
      known("queues", queueDepths(env)),
      known("waits", waitsByLane(env.DB)),
      known("deliveries", talliesSince(env.DB, nowMs - HOUR_MS)),
      known("deliveries", talliesSince(env.DB, 0)),
      known(
        "pace",
        paceStanding(env).then((found) => found ?? "none"),
      ),
      known("databases", databaseFill(env)),
      known("payment events", quarantinedEvents(env.DB)),
      known("dead letters", keptDeadLetters(env.DB)),
      known("alerts", openAlerts(env.DB, ALERTS_MAX)),
      known("notices", waitingNotices(env.DB)),
      known("cron", cronAt(env)),
    ]);
  const depths = { queues, waits, databases, paymentEvents, deadLetters, notices };
  return { at: nowMs, ...depths, lastHour, ever, pace, alerts, cronAt: cron };
}
