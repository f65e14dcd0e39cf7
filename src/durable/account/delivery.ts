import type { ClaimAsked, ClaimedJob, Followed, News, WorkAsked, WorkDone } from "../../model/message.ts";
import { sealedSeq } from "./archive/checkpoint.ts";
import { draftOf, readJob, readyAtOf, secretOf, stepDraft, storeDraft, writeTimes } from "./jobs.ts";
import type { Draft } from "./jobs.ts";
import { applyOutcome, applyReceipt, claim } from "./message-life.ts";
import { carrierOf, unchanged } from "./message/states.ts";
import type { Message, Step } from "./message/states.ts";
import { jobsReady, nextReadyMs } from "./open-jobs.ts";
import { sealedText } from "./retention/text-keys.ts";
import { journalReceipts, makeRoom } from "./receipts/fold.ts";
import type { Turn } from "./turn.ts";

// The account's side of delivery: outcomes of the last round and claims of the next, in one call and one transaction.

/** Jobs that one call looks at beyond those that it claims from: their times were too early, and are set right. */
const STALE_MAX = 40;

/** What the carrier of a round can do. */
export type Abilities = Pick<WorkAsked, "follow" | "resubmits">;

/** Jobs that one transaction changes, by number; each is written once. */
type Drafts = Map<number, Draft>;

function draftIn(sql: SqlStorage, drafts: Drafts, seq: number): Draft | null {
  const known = drafts.get(seq);
  if (known) return known;
  // A file of the archive has it: whatever is reported now comes too late, as for a message that is deleted already.
  if (seq <= sealedSeq(sql)) return null;
  const job = readJob(sql, seq);
  if (!job) return null;
  const draft = draftOf(job);
  drafts.set(seq, draft);
  return draft;
}

/** Applies outcomes, gives back those of the claim, and claims up to `max` messages of a lane, longest ready first. */
export function work(turn: Turn, { news, claim: asked, ...abilities }: WorkAsked): WorkDone {
  const drafts: Drafts = new Map();
  applyAll(turn, drafts, news, abilities);
  const jobs = asked ? claimFrom(turn, drafts, asked, abilities) : [];
  for (const draft of drafts.values()) if (!storeDraft(turn, draft)) writeTimes(turn, draft.job);
  if (asked) turn.changes.visit = { lane: asked.lane, took: jobs.length > 0 };
  const nextMs = asked ? nextReadyMs(turn.sql, asked.lane) : null;
  const oldestMs = Math.min(...jobs.map(({ seq }) => startOf(drafts.get(seq)) ?? Infinity));
  return {
    jobs,
    againMs: nextMs === null ? null : Math.max(0, nextMs - turn.nowMs),
    ...(jobs.length > 0 && { oldestMs }),
  };
}

/** What receipts need of their carrier. */
const NOTHING: Abilities = { follow: false, resubmits: false };

/** Applies outcomes and receipts, job by job; receipts that move no money may be stored in the journal. */
export function reportNews(turn: Turn, news: News[], abilities = NOTHING): void {
  makeRoom(turn);
  const drafts: Drafts = new Map();
  applyAll(turn, drafts, news, abilities);
  const isBulk = ({ kind, seq }: News) => kind === "outcome" && drafts.get(seq)?.job.lane === "bulk";
  turn.changes.hasGone = news.some(isBulk);
  const journaled = journalReceipts(turn, drafts, news);
  for (const [seq, draft] of drafts) if (!journaled.has(seq)) storeDraft(turn, draft);
}

function applyAll(turn: Turn, drafts: Drafts, news: News[], { follow, resubmits }: Abilities): void {
  for (const [seq, items] of Map.groupBy(news, (item) => item.seq)) {
    const draft = draftIn(turn.sql, drafts, seq);
    if (!draft) continue;
    const byIndex = Map.groupBy(items, (item) => item.index);
    const { expiresAt, carrier } = draft.job;
    stepDraft(draft, (message, index) => {
      let result: Step = unchanged(message);
      for (const item of byIndex.get(index) ?? []) {
        const next =
          item.kind === "outcome"
            ? applyOutcome(turn, result.message, item, { expiresAt, follow, resubmits, carrier })
            : applyReceipt(turn, result.message, item, carrier);
        result = { message: next.message, refund: result.refund || next.refund };
      }
      return result;
    });
  }
}

/** Since when a job could be claimed, in ms. */
const startOf = (draft: Draft | undefined) => draft && (draft.job.sendAt ?? draft.job.createdAt);

/** Numbers of the lane's jobs to claim from, longest ready first: as stored, and as the drafts will be. */
function candidates(turn: Turn, drafts: Drafts, { lane, max }: ClaimAsked): number[] {
  const ready = new Map<number, number>();
  for (const { seq, readyAt } of jobsReady(turn.sql, lane, turn.nowMs, max + drafts.size + STALE_MAX)) {
    ready.set(seq, readyAt);
  }
  for (const [seq, { job, messages }] of drafts) {
    const readyAt = job.lane === lane ? readyAtOf(turn, { ...job, messages }) : null;
    if (readyAt === null || readyAt > turn.nowMs) ready.delete(seq);
    else ready.set(seq, readyAt);
  }
  return [...ready].toSorted(([seq, at], [other, otherAt]) => at - otherAt || seq - other).map(([seq]) => seq);
}

function claimFrom(turn: Turn, drafts: Drafts, asked: ClaimAsked, abilities: Abilities): ClaimedJob[] {
  const claimed: ClaimedJob[] = [];
  let left = asked.max;
  for (const seq of candidates(turn, drafts, asked)) {
    if (left <= 0) break;
    const draft = draftIn(turn.sql, drafts, seq);
    // Messages past their validity are not claimed; the sweep refunds them.
    if (!draft || draft.job.expiresAt <= turn.nowMs) continue;
    const { storedText } = draft.job;
    const text = sealedText(turn.sql, storedText);
    // Never an empty message: where the text was forgotten, the end of its validity refunds it.
    if (storedText && !text) continue;
    // A job keeps the carrier of its first claim; a message that another one got says so itself.
    const carrier = draft.job.carrier ?? asked.carrier;
    const dedupes = asked.dedupes ?? (abilities.resubmits ? [asked.carrier] : []);
    const messages = takeFrom(turn, draft, { ...asked, asker: asked.carrier, carrier, dedupes }, left);
    left -= messages.length;
    if (messages.length === 0) continue;
    draft.job = { ...draft.job, carrier };
    const { requestId, operation, content } = draft.job;
    claimed.push({ seq, carrier, requestId, operation, content, text, ...secretOf(draft.job), messages });
  }
  return claimed;
}

/** How messages are claimed: `asker` is the carrier that the consumer has without routes, `carrier` their job's. */
interface Taking extends Pick<ClaimAsked, "leaseMs" | "carrier" | "plan"> {
  asker: string;
  dedupes: string[];
}

/**
 * Claims up to `max` messages of a draft, whose job's carrier is `carrier`. One whose carrier recognises references may be
 * submitted to that one again; where several may get it, a lost attempt is at none that is known.
 */
function takeFrom(
  turn: Turn,
  draft: Draft,
  { leaseMs, asker, carrier, plan, dedupes }: Taking,
  max: number,
): ClaimedJob["messages"] {
  const taken: ClaimedJob["messages"] = [];
  const [sole] = plan?.length === 1 ? plan : [];
  // Without routes any more, the message may stay with its job's carrier, or go to that of the settings.
  const others = plan ?? (asker === carrier ? undefined : [asker]);
  const offer = sole === undefined ? { plan: others, by: plan && "" } : { by: sole === carrier ? undefined : sole };
  draft.messages = draft.messages.map((message, index): Message => {
    const isDoubtful = message.state === "unknown";
    const only = isDoubtful ? (carrierOf(message, carrier) ?? carrier) : plan === undefined ? carrier : sole;
    const resubmits = only !== undefined && dedupes.includes(only);
    const claimedNow = taken.length < max ? claim(turn, message, index, { leaseMs, resubmits, ...offer }) : null;
    if (claimedNow) {
      const isNamed = isDoubtful && (plan !== undefined || only !== carrier);
      taken.push(isNamed && only ? { ...claimedNow[1], only } : claimedNow[1]);
      return claimedNow[0];
    }
    // The carrier no longer recognises references: the message waits for its window, as any other.
    if (message.againMs === undefined || resubmits) return message;
    const { againMs: _again, ...kept } = message;
    return kept;
  });
  return taken;
}

/** The messages of these jobs that a carrier took, or may have taken, and that have no final receipt. */
export function followJobs(sql: SqlStorage, seqs: number[]): Followed[] {
  return seqs.flatMap((seq) => {
    const job = readJob(sql, seq);
    if (!job?.carrier) return [];
    const { carrier: own, operation } = job;
    return job.messages.flatMap((message, index) => {
      const { state, attempts: attempt, to } = message;
      if (state !== "submitted" && state !== "unknown") return [];
      const carrier = carrierOf(message, own) ?? own;
      const shared = { operation, to, carrier, ...secretOf(job) };
      return [{ seq, index, attempt, unknown: state === "unknown", ...shared }];
    });
  });
}
