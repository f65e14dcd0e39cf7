import { configOf, otpDefaultsOf } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { unseal } from "../../crypto/seal.ts";
import { canLookUp } from "../../queues/follow-up.ts";
import type { MessageEvent, Note } from "../../model/event.ts";
import type { Lane } from "../../model/lane.ts";
import type { OtpDefaults } from "../../model/rules/rules.ts";
import type { Moment, Timers } from "./message/retry.ts";
import type { WindowTimes } from "./window.ts";

// A turn is what every function that writes gets. The store creates it in `commit` and, once the transaction is
// stored, acts on what was noted in `changes`, so that no method can forget the alarm or the live feed.

/** What a transaction changed, noted where the row is written. */
export interface Changes {
  /** Jobs whose messages changed. */
  readonly jobs: Set<number>;
  /** The earliest time at which a deadline of a job passes, in ms since the epoch; null when none was noted. */
  dueMs: number | null;
  /** The earliest time at which messages can be claimed, in ms since the epoch, by lane. */
  readonly ready: Map<Lane, number>;
  /** The lane of which a consumer claimed messages, and whether it got any; null where none asked. */
  visit: { lane: Lane; took: boolean } | null;
  /** Whether a consumer of bulks reported without another claim, as it does when it goes. */
  hasGone: boolean;
  /** The earliest time at which the alarm must look at a recording, in ms since the epoch; null when it need not. */
  recordingDueMs: number | null;
  /** When the alarm must have a webhook delivered, in ms since the epoch; null when it need not. */
  webhookMs: number | null;
  /** Whether something is to be posted to messages' own addresses. */
  callbacks: boolean;
  /** Whether the balance, or anything else that the live feed shows of the account itself, changed. */
  account: boolean;
  /** Whether history must record the profile again: its name, status, plan or revision changed. */
  profile: boolean;
  /** What becomes an event (events/seal.ts). */
  events: StagedEvents;
}

/** What a transaction adds to the feed of events; nothing while that is off. */
export interface StagedEvents {
  /** Changes of messages, which are stored with their jobs. */
  told: MessageEvent[];
  /** Other events. They are stored nowhere else, so the end of the transaction gives everything its number. */
  notes: Note[];
  /** The balance before the first change of it and after the last, in units; null where it did not change. */
  balance: { from: number; to: number } | null;
  /** Whether the end of the transaction gives everything its number in any case. */
  seals: boolean;
  /** The number of the newest event, where the transaction gave numbers. */
  sealed: number | null;
}

/** One synchronous transaction: storage, clock, random numbers and settings. Nothing in it awaits. */
export interface Turn extends Moment {
  readonly sql: SqlStorage;
  /** The rate window's times in memory. */
  readonly window: WindowTimes;
  readonly changes: Changes;
  /** How long the account keeps what it forgets. */
  readonly keeps: Keeps;
  /** When promotional messages may go out in India. */
  readonly dltHours: Config["DLT_HOURS"];
  /** The text of a command, which the Worker sealed for this account. */
  readonly unseal: (sealed: Uint8Array) => string;
  /** The limits on one-time passwords of an account that has none of its own. */
  readonly otpDefaults: OtpDefaults;
  /** Whether the carrier with this name can be asked for a message's state. */
  readonly canLookUp: (carrier: string) => boolean;
}

/** How long an account keeps what it forgets, in ms. */
export interface Keeps {
  textMs: number;
  idempotencyMs: number;
  eventsMs: number;
}

/** The arguments of a part that writes, after its turn: those of the object's method. */
export type Tail<Part extends (turn: Turn, ...asked: never[]) => unknown> =
  Parameters<Part> extends [Turn, ...infer Asked] ? Asked : never;

/** Begins a turn of the object with this name at the current time. */
export function beginTurn(sql: SqlStorage, window: WindowTimes, env: object, name = ""): Turn {
  return {
    sql,
    window,
    nowMs: Date.now(),
    random: Math.random,
    changes: {
      jobs: new Set(),
      dueMs: null,
      ready: new Map(),
      visit: null,
      hasGone: false,
      recordingDueMs: null,
      webhookMs: null,
      callbacks: false,
      account: false,
      profile: false,
      events: { told: [], notes: [], balance: null, seals: false, sealed: null },
    },
    // A getter, so that work that needs no timer succeeds even with an invalid configuration.
    get timers() {
      return timersOf(configOf(env));
    },
    get keeps() {
      return keepsOf(configOf(env));
    },
    get dltHours() {
      return configOf(env).DLT_HOURS;
    },
    unseal: (sealed) => unseal(configOf(env).SEAL_SECRET, name, sealed),
    get otpDefaults() {
      return otpDefaultsOf(configOf(env));
    },
    canLookUp: (carrier) => canLookUp(configOf(env), carrier),
  };
}

/** When the alarm must look at a job: its lane, when messages can be claimed, and when a deadline passes (null: never). */
interface JobTimes {
  lane: Lane;
  readyAt: number | null;
  dueAt: number | null;
}

/** Notes that a job's messages changed, and its times. */
export function noteJob(turn: Turn, job: JobTimes & { seq: number }): void {
  turn.changes.jobs.add(job.seq);
  noteTimes(turn, job);
}

/** Notes the times of a job. */
export function noteTimes({ changes }: Turn, { lane, readyAt, dueAt }: JobTimes): void {
  if (dueAt !== null) changes.dueMs = Math.min(changes.dueMs ?? dueAt, dueAt);
  if (readyAt !== null) changes.ready.set(lane, Math.min(changes.ready.get(lane) ?? readyAt, readyAt));
}

/** Notes when the alarm must look at a recording. */
export function noteRecording({ changes }: Turn, dueMs: number): void {
  changes.recordingDueMs = Math.min(changes.recordingDueMs ?? dueMs, dueMs);
}

/** Raises the profile's revision, by which history recognises the newest one. */
export function noteProfile({ sql, changes }: Turn): void {
  sql.exec("UPDATE account SET rev = rev + 1");
  changes.account = true;
  changes.profile = true;
}

const DAY_MS = 86_400_000;

/** How long an account keeps what it forgets. */
export const keepsOf = (config: Config): Keeps => ({
  textMs: config.TEXT_DAYS * DAY_MS,
  idempotencyMs: config.IDEMPOTENCY_DAYS * DAY_MS,
  eventsMs: config.EVENTS_KEPT_MS,
});

/** The timers of contract §12 that the account needs. */
function timersOf(config: Config): Timers {
  return {
    retryBaseMs: config.RETRY_BASE_MS,
    attemptsMax: config.ATTEMPTS_MAX,
    unknownWindowMs: config.UNKNOWN_WINDOW_MS,
    receiptWindowMs: config.RECEIPT_WINDOW_MS,
    sweepMs: config.SWEEP_MS,
  };
}
