import type { Claimed, Offered, Outcome } from "../../model/message.ts";
import { NEVER, retryAtMs } from "./message/retry.ts";
import type { Moment } from "./message/retry.ts";
import { INTERRUPTED, RANK, attemptedAt, attemptsMade, enter, failWithRefund, unchanged } from "./message/states.ts";
import { noted, unexplained } from "./message/states.ts";
import type { Early, Message, Step } from "./message/states.ts";
import { believed, offeredTold, received, withoutDoubt } from "./message/offers.ts";
import type { Received } from "./message/offers.ts";

// What claims, outcomes and receipts make of a message (contract §9), as pure functions from a message and an event to
// the next message. Ranks only rise; the one step back is to queued, when the carrier certainly accepted nothing.

/**
 * The alarm first polls a submitted message after this, in ms, even if the sweep is shorter: the invocation that
 * submitted it asks the carrier a second later, and an earlier poll would write and queue each message again for nothing.
 */
const FIRST_POLL_MS_MIN = 5_000;

/** A claim: how long it lasts, and whether the one carrier that it may go to recognises references. */
export interface Lease {
  leaseMs: number;
  resubmits: boolean;
  /** The carriers that may get the message, besides `by`. */
  plan?: readonly string[] | undefined;
  /** Who gets it first, where that is not the job's carrier; empty: the consumer chooses. */
  by?: string | undefined;
}

/**
 * Claims a message for one attempt under a lease; null when it cannot be claimed now. An `unknown` message stays so: if
 * this attempt, too, is lost, it can be claimed again when the lease ends.
 */
export function claim(
  { nowMs, timers }: Moment,
  message: Message,
  index: number,
  { leaseMs, resubmits, plan, by }: Lease,
): [Message, Claimed] | null {
  const attempts = message.attempts + 1;
  const claimed: Claimed = { index, to: message.to, attempt: attempts };
  const endMs = nowMs + leaseMs;
  if (message.state === "queued") {
    if ((message.dueMs ?? 0) > nowMs) return null;
    // The code stays, hidden, so that a claim given back leaves the message as it was.
    const code = message.code === undefined ? {} : { code: message.code };
    const { resubmits: _before, plan: _plan, early: _early, ...kept } = message;
    const more = { attempts, dueMs: endMs, ...code, ...(resubmits && { resubmits: true as const }) };
    const sending = enter(kept, "sending", nowMs, { ...more, ...(plan && { plan: [...plan] }) });
    return [by === undefined ? sending : noted(sending, by, null), claimed];
  }
  const waits = message.state === "unknown" && message.refunded !== true && message.againMs !== undefined;
  if (!waits || !resubmits || (message.againMs ?? NEVER) > nowMs) return null;
  const dueMs = nowMs + timers.unknownWindowMs;
  return [{ ...message, attempts, againMs: endMs, dueMs, resubmits: true, inFlight: true }, claimed];
}

/** What the outcome of an attempt needs to know about its job and carrier. */
export interface Reported {
  expiresAt: number;
  /** Whether the carrier can be asked for the state of a message. */
  follow: boolean;
  /** Whether the carrier recognises references. */
  resubmits?: boolean;
  /** The job's carrier. */
  carrier?: string | null;
}

/** What a receipt needs of its moment. */
export interface ReceiptMoment {
  readonly nowMs: number;
  readonly timers: Pick<Moment["timers"], "receiptWindowMs">;
}

function submitted(message: Message, { timers, nowMs }: ReceiptMoment, more: Partial<Message>): Message {
  return enter(message, "submitted", nowMs, { dueMs: nowMs + timers.receiptWindowMs, ...more });
}

/** The last time, before the end of its validity, to which a message is put off that was given back, in ms. */
const RELEASED_MARGIN_MS = 10_000;

/** When a message that was given back can be claimed again, in ms since the epoch: never too late for a last try. */
const releasedUntilMs = ({ nowMs }: Moment, afterMs: number, expiresAt: number): number =>
  Math.min(nowMs + Math.ceil(afterMs), Math.max(nowMs, expiresAt - RELEASED_MARGIN_MS));

/** Gives a claim back: the message is as before it, and can be claimed again after this time. */
function releasedClaim(moment: Moment, message: Message, afterMs: number, { expiresAt }: Reported): Message {
  const { dueMs: _due, pollMs: _poll, resubmits: _resubmits, code, log = [], ...kept } = message;
  const wait = afterMs > 0 ? { dueMs: releasedUntilMs(moment, afterMs, expiresAt) } : {};
  const released = (message.released ?? 0) + 1;
  const before = unexplained(
    log.slice(
      0,
      log.findLastIndex(([state]) => state === "sending"),
    ),
    code,
  );
  const why = code === undefined || code === INTERRUPTED ? {} : { code };
  return { ...kept, ...why, ...wait, state: "queued", released, ...(before.length > 0 && { log: before }) };
}

/** The outcome of an attempt at a message that waits in `sending`. */
function afterSending(moment: Moment, message: Message, outcome: Outcome, job: Reported): Step {
  const { nowMs, timers } = moment;
  const poll = (ms: number) => (job.follow ? { pollMs: nowMs + ms } : {});
  switch (outcome.kind) {
    case "submitted":
      return unchanged(submitted(message, moment, poll(Math.max(timers.sweepMs, FIRST_POLL_MS_MIN))));
    case "rejected":
      return failWithRefund(message, outcome.code, nowMs);
    case "not_accepted": {
      const busy = (message.busy ?? 0) + 1;
      const dueMs = retryAtMs(moment, busy, job.expiresAt, outcome.retryAfterMs);
      return unchanged(enter(message, "queued", nowMs, { code: outcome.code, busy, dueMs }));
    }
    case "not_sent": {
      const faults = (message.faults ?? 0) + 1;
      if (faults >= timers.attemptsMax) return failWithRefund(message, outcome.code, nowMs);
      const dueMs = retryAtMs(moment, faults, job.expiresAt);
      const { busy: _busy, ...kept } = message;
      return unchanged(enter(kept, "queued", nowMs, { code: outcome.code, faults, dueMs }));
    }
    case "released":
      return unchanged(releasedClaim(moment, message, outcome.afterMs ?? 0, job));
    case "unknown": {
      const busy = (message.busy ?? 0) + 1;
      const dueMs = attemptedAt(message, nowMs) + timers.unknownWindowMs;
      const resubmits = job.resubmits === true || message.resubmits === true;
      const again = resubmits
        ? { busy, againMs: retryAtMs(moment, busy, job.expiresAt, outcome.retryAfterMs), resubmits: true as const }
        : {};
      return unchanged(
        enter(message, "unknown", nowMs, { code: outcome.code, dueMs, ...again, ...poll(timers.sweepMs) }),
      );
    }
  }
}

/**
 * The outcome of an attempt at a message that is already `unknown`. At a carrier that recognises references, it may be
 * there from an earlier attempt, so only an answer about the reference itself ends the doubt. At any other carrier its one
 * interrupted attempt was all the doubt there was: where that certainly left nothing at the carrier, it waits again.
 */
function afterUnknown(moment: Moment, message: Message, outcome: Outcome, job: Reported): Step {
  if (outcome.kind === "submitted" || outcome.kind === "rejected") return afterSending(moment, message, outcome, job);
  if (message.inFlight) return afterResubmission(moment, message, outcome, job);
  const isCertain = outcome.kind !== "unknown" && message.code === INTERRUPTED && message.resubmits !== true;
  if (!isCertain || message.refunded === true) return unchanged(message);
  return afterSending(moment, message, outcome, job);
}

type Doubtful = Exclude<Outcome, { kind: "submitted" | "rejected" }>;

/** An attempt that leaves the doubt of an earlier one: the message is tried again while it is valid. */
function afterResubmission(moment: Moment, message: Message, outcome: Doubtful, { expiresAt }: Reported): Step {
  const { againMs: _again, inFlight: _claim, ...kept } = message;
  if (message.refunded) return unchanged(kept);
  switch (outcome.kind) {
    case "released": {
      const againMs = releasedUntilMs(moment, outcome.afterMs ?? 0, expiresAt);
      return unchanged({ ...kept, released: (message.released ?? 0) + 1, againMs });
    }
    case "not_sent": {
      const faults = (message.faults ?? 0) + 1;
      if (faults >= moment.timers.attemptsMax) return unchanged({ ...kept, faults });
      return unchanged({ ...kept, faults, againMs: retryAtMs(moment, faults, expiresAt) });
    }
    case "not_accepted":
    case "unknown": {
      const busy = (message.busy ?? 0) + 1;
      return unchanged({ ...kept, busy, againMs: retryAtMs(moment, busy, expiresAt, outcome.retryAfterMs) });
    }
  }
}

/** The end of a claim: its outcome, and the receipts that were kept for it. What was delivered is not refunded. */
function afterClaim(
  moment: Moment,
  message: Message,
  { outcome, early = [], job }: { outcome: Outcome; early?: Early[] | undefined; job: Reported },
): Step {
  const own = job.carrier ?? null;
  const ended = afterSending(moment, message, outcome, job);
  const isDelivery = ([carrier, state]: Early) =>
    state === "delivered" && received(message, { carrier, state }, own).counts;
  if (!ended.refund || !early.some(isDelivery)) return applyEarly(moment, ended, early, own);
  // The last carrier's no ends only its own attempt.
  const { code = "" } = ended.message;
  return applyEarly(moment, unchanged(enter(message, "queued", moment.nowMs, { code })), early, own);
}

/** Applies the outcome of an attempt; a repeated one changes nothing, and a late one what is told of its attempts. */
export function applyOutcome(
  moment: Moment,
  message: Message,
  { attempt, outcome, offered }: { attempt: number; outcome: Outcome; offered?: Offered | undefined },
  reported: Reported,
): Step {
  const own = reported.carrier ?? null;
  const job = offered ? { ...reported, follow: offered.follow, resubmits: offered.resubmits } : reported;
  if (message.attempts === attempt) {
    const known = withoutDoubt(offered ? offeredTold(message, offered, own, moment.nowMs) : message);
    if (message.state === "sending") return afterClaim(moment, known, { outcome, early: message.early, job });
    if (message.state === "unknown") return afterUnknown(moment, known, outcome, job);
    // A receipt came first: it told the state, but not which carriers had been tried.
    if (offered && message.plan !== undefined) return unchanged(known);
  }
  // While it is submitted again, the outcome of an earlier attempt may arrive: if that was accepted, the message is there.
  const isEarlier = message.state === "unknown" && message.resubmits === true && attempt < message.attempts;
  if (isEarlier && outcome.kind === "submitted") return afterSending(moment, message, outcome, job);
  return unchanged(message);
}

/**
 * Applies a carrier's receipt, which can only raise the state and never charges (contract §6). It counts where the carrier
 * was given the message, and is kept while that is not known; `own` is the carrier of the message's job.
 */
export function applyReceipt(
  moment: ReceiptMoment,
  message: Message,
  receipt: Received,
  own: string | null = null,
): Step {
  // A message that was never attempted cannot have a receipt.
  if (attemptsMade(message) === 0 || RANK[receipt.state] <= RANK[message.state]) return unchanged(message);
  const told = received(message, receipt, own);
  if (!told.counts) return unchanged(told.message);
  const step = afterReceipt(moment, told.message, receipt);
  // What comes after an attempt is its carrier's word; a message that waits is no one carrier's.
  const isPlain = receipt.carrier === told.carrier && message.state !== "queued";
  if (receipt.carrier === undefined || isPlain) return step;
  return { ...step, message: noted(step.message, receipt.carrier, null) };
}

/** Applies receipts that were kept with a message until it was known, or can't be known any more, who has it. */
export function applyEarly(moment: ReceiptMoment, step: Step, early: readonly Early[], own: string | null): Step {
  return believed(early).reduce<Step>((last, [carrier, state, code]) => {
    const next = applyReceipt(moment, last.message, { carrier, state, code }, own);
    return { message: next.message, refund: last.refund || next.refund };
  }, step);
}

function afterReceipt(moment: ReceiptMoment, message: Message, { state, code }: Received): Step {
  const { nowMs } = moment;
  const why = code === undefined ? {} : { code };
  switch (state) {
    case "submitted":
      return unchanged(submitted(message, moment, why));
    case "delivered":
    case "undelivered":
      return unchanged(enter(message, state, nowMs, why));
    case "failed":
      return failWithRefund(message, code ?? "carrier_failed", nowMs);
  }
}
