import type { Moment } from "./moments.ts";
import { between, oneOf, pauseMs, randomOf, shuffled } from "./random.ts";
import type { Random } from "./random.ts";

// The faults of a run and their times, determined by the seed alone before the run begins.

export type Fault = { atMs: number } & (
  | { kind: "kill"; when: "now" | Moment }
  | { kind: "term" }
  /** It ends, and starts with the next lists of secrets. */
  | { kind: "rotate" }
  /** It ends, and starts with the next release, or again with the present one on what that has migrated. */
  | { kind: "deploy" | "rollback" }
  | { kind: "evict" | "break_off"; share: number }
  /** Objects break off right after what they did in such a call, before its caller hears of it. */
  | { kind: "interrupt"; during: Call; lastsMs: number }
  | { kind: "pace"; how: "evict" | "break_off" }
  | { kind: "clock"; toMs: number }
  | { kind: "d1"; how: StorageHarm; lastsMs: number }
  /** A share of the accounts is asked to archive what is old; the bucket may be faulty meanwhile. */
  | { kind: "archive"; share: number; how: "well" | StorageHarm; lastsMs: number }
  | { kind: "queue"; queue: Queue; how: QueueHarm; lastsMs: number }
  | { kind: "carrier_away"; lastsMs: number }
  | { kind: "carrier_limit"; perSec: number; retryAfterSec: number | null; lastsMs: number }
  | { kind: "carrier_busy"; retryAfterSec: number | null; lastsMs: number }
);

/** Calls of an account's object. */
export type Call = (typeof CALLS)[number];
const CALLS = [
  "send",
  "sendLater",
  "sendQuoted",
  "takeBack",
  "work",
  "work",
  "report",
  "records",
  "recorded",
  "events",
  "claimEvents",
  "ackEvents",
  "ackEvents",
  "alarm",
  "alarm",
  "clearNext",
] as const;

/** How D1 or a bucket fails: every call is refused, or done with its answer lost, or takes long. */
type StorageHarm = "refuses" | "forgets" | "slow";
const STORAGE_HARMS: readonly StorageHarm[] = ["refuses", "forgets", "slow"];
/** Most runs of the archive find a bucket that works. */
const ARCHIVES: readonly ("well" | StorageHarm)[] = ["well", "well", "well", ...STORAGE_HARMS];

/** A queue, or the queues of all lanes together. */
export type Queue = "otp" | "single" | "bulk" | "lanes" | "history" | "webhooks";
const QUEUES: readonly Queue[] = [
  "otp",
  "single",
  "bulk",
  "bulk",
  "lanes",
  "lanes",
  "history",
  "history",
  "webhooks",
  "webhooks",
];

type QueueHarm = "lost" | "again" | "twice" | "late" | "fails";

const QUEUE_HARMS: readonly QueueHarm[] = ["lost", "again", "twice", "late", "fails"];

/** Offsets of the clock from the real one, and the sizes of small jumps. */
const CLOCKS_MS = [0, 0, 7_200_000, -7_200_000, 60_000, -60_000] as const;
const STEPS_MS = [2_000, -2_000, 5_000, -5_000] as const;
const STEP_SHARE = 0.6;

const KINDS = [
  "kill",
  "kill",
  "term",
  "rotate",
  "release",
  "release",
  "archive",
  "archive",
  "aged",
  "evict",
  "evict",
  "break_off",
  "interrupt",
  "interrupt",
  "pace",
  "clock",
  "d1",
  "d1_long",
  "queue",
  "queue",
  "queue",
  "carrier_away",
  "carrier_limit",
  "carrier_limit",
  "carrier_busy",
] as const;

/**
 * How far the clock leaps so that all messages of the run are old enough for the archive (`KEPT_DAYS`), and how soon after it
 * the accounts are asked to archive: their messages are over by then, and some receipts are still to come.
 */
const AGED_MS = 115_000;
const AGED_AFTER_MS = [3_000, 9_000] as const;

/** When a kill comes, how fast a gateway takes messages at times, and the silence that it then demands. */
const MOMENTS: readonly ("now" | Moment)[] = ["now", "reply", "submission", "answer"];
const RATES_PER_SEC = [15, 40, 100] as const;
const SILENCES_SEC = [null, 2, 3] as const;

/** The first fault comes once all accounts are open and in use. */
const FIRST_MS = 2_000;

/** A share of the run, in which D1 is away for long. */
const LONG_SHARE = 0.3;
const LONG_MS_MAX = 25_000;

/** The release with which a run begins, chosen by the seed: its accounts are opened under it. */
export const firstRelease = (seed: string) => (randomOf(seed, "release")() < 0.5 ? "present" : "next");

interface Planned {
  atMs: number;
  clockMs: number;
  release: "present" | "next";
  durationMs: number;
}

function faultOf(random: Random, kind: Exclude<(typeof KINDS)[number], "aged">, planned: Planned): Fault {
  const { atMs, clockMs, release, durationMs } = planned;
  const lastsMs = between(random, 1_000, 5_000);
  switch (kind) {
    case "kill":
      return { kind, atMs, when: oneOf(random, MOMENTS) };
    case "term":
    case "rotate":
      return { kind, atMs };
    case "release":
      return { kind: release === "present" ? "deploy" : "rollback", atMs };
    case "archive":
      return { kind, atMs, lastsMs, how: oneOf(random, ARCHIVES), share: 0.3 + random() * 0.7 };
    case "interrupt":
      return { kind, atMs, during: oneOf(random, CALLS), lastsMs };
    case "pace":
      return { kind, atMs, how: oneOf(random, ["evict", "break_off"] as const) };
    case "evict":
    case "break_off":
      return { kind, atMs, share: 0.1 + random() * 0.9 };
    case "clock":
      if (random() < STEP_SHARE) return { kind, atMs, toMs: clockMs + oneOf(random, STEPS_MS) };
      return { kind, atMs, toMs: oneOf(random, CLOCKS_MS) };
    case "d1":
      return { kind, atMs, lastsMs, how: oneOf(random, STORAGE_HARMS) };
    case "d1_long":
      return { kind: "d1", atMs, lastsMs: Math.min(LONG_MS_MAX, durationMs * LONG_SHARE), how: "refuses" };
    case "queue":
      return { kind, atMs, lastsMs, how: oneOf(random, QUEUE_HARMS), queue: oneOf(random, QUEUES) };
    case "carrier_away":
      return { kind, atMs, lastsMs };
    case "carrier_limit": {
      const [perSec, retryAfterSec] = [oneOf(random, RATES_PER_SEC), oneOf(random, SILENCES_SEC)];
      return { kind, atMs, perSec, retryAfterSec, lastsMs: 2_000 + lastsMs };
    }
    case "carrier_busy":
      return { kind, atMs, retryAfterSec: oneOf(random, SILENCES_SEC), lastsMs };
  }
}

/**
 * The faults of a run: all kinds in a random order, again and again, with gaps of this mean length. A run that begins with
 * the present release deploys the next one first, so that every run rolls back, at its end at the latest.
 */
export function planFaults(seed: string, durationMs: number, meanGapMs: number): Fault[] {
  const random = randomOf(seed, "faults");
  const faults: Fault[] = [];
  let deck: (typeof KINDS)[number][] = [];
  let clockMs = 0;
  let release: Planned["release"] = firstRelease(seed);
  for (let atMs = FIRST_MS; atMs < durationMs; atMs += 300 + pauseMs(random, meanGapMs)) {
    if (deck.length === 0) deck = shuffled(random, KINDS);
    const kind = faults.length === 0 && release === "present" ? "release" : deck.pop();
    if (!kind) continue;
    const planned = { atMs, clockMs, release, durationMs };
    if (kind === "aged") {
      clockMs += AGED_MS;
      const afterMs = between(random, ...AGED_AFTER_MS);
      const archive = faultOf(random, "archive", { ...planned, atMs: atMs + afterMs });
      faults.push({ kind: "clock", atMs, toMs: clockMs }, archive);
      continue;
    }
    const fault = faultOf(random, kind, planned);
    if (fault.kind === "clock") clockMs = fault.toMs;
    if (fault.kind === "deploy") release = "next";
    if (fault.kind === "rollback") release = "present";
    faults.push(fault);
  }
  const inTime = faults.filter(({ atMs }) => atMs < durationMs);
  return inTime.toSorted((one, other) => one.atMs - other.atMs);
}
