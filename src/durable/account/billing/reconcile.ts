import type { RecountAsked, Recounted, Difference } from "../../../model/account.ts";
import { number, numberOrNull, text, textOrNull } from "../../rows.ts";
import type { Job } from "../jobs.ts";
import type { Turn } from "../turn.ts";
import { owed, debtAt } from "./debt.ts";
import { ledgerHead, refundReference } from "./ledger.ts";
import { recountEntry } from "./recount/entries.ts";
import { recountJournal } from "./recount/journal.ts";
import { Page } from "./recount/page.ts";
import { readWalk, walkText } from "./recount/walk.ts";
import type { Walk } from "./recount/walk.ts";

// Reconciliation (contract §10): recomputes from the rows, by other queries, the totals that the service relies on. It
// reads an account in pages: jobs and entries in the order of their numbers, then the journal. What needs a total is
// summed on the way (recount/walk.ts); what belongs together but lies apart is looked up by its reference, from both
// sides. Each check holds between any two transactions, so what happens between two pages makes no difference.

/** In place of the debit of a request whose first job is archived: it cannot be compared. */
const DEBIT_ARCHIVED = -1;

type Row = Record<string, SqlStorageValue>;

/** Where the account's rows begin, and up to where nothing changes any more. */
interface Bounds {
  checkpoint: { seq: number; balance: number };
  settledSeq: number;
  /** The text of the walk up to which a recount found no difference; null before the first. */
  verified: string | null;
}

function boundsOf(sql: SqlStorage): Bounds {
  const row = sql.exec("SELECT checkpoint_seq, checkpoint_balance, settled_seq, verified FROM account").one();
  return {
    checkpoint: { seq: number(row, "checkpoint_seq"), balance: number(row, "checkpoint_balance") },
    settledSeq: number(row, "settled_seq"),
    verified: textOrNull(row, "verified"),
  };
}

/** The walk that begins at the checkpoint, with what is known of before. */
function firstWalk(sql: SqlStorage, { checkpoint: { seq, balance } }: Bounds): Walk {
  return { seq, sum: balance, ...debtAt(sql, seq), found: 0, segment: 0, request: null };
}

/** Where a page begins; null where the cursor is none. What was archived since is skipped. */
function beginning(sql: SqlStorage, bounds: Bounds, { cursor, full }: RecountAsked): Walk | null {
  const known = cursor ?? (full ? null : bounds.verified);
  const walk = known === null ? firstWalk(sql, bounds) : readWalk(known);
  if (!walk || walk.seq >= bounds.checkpoint.seq) return walk;
  return { ...firstWalk(sql, bounds), found: walk.found };
}

/** Ends the request under way: what it took is what its messages were charged. */
function endRequest(page: Page): void {
  const { request } = page.walk;
  page.walk.request = null;
  if (!request || request.debit === DEBIT_ARCHIVED || request.debit === request.charged) return;
  page.note("debit", `request ${request.id} took ${request.debit}, its messages were charged ${request.charged}`);
}

/** Adds an entry to the sum, and compares the balance that it says. */
function recountBalance(page: Page, seq: number, amount: number, said: number): void {
  const { walk } = page;
  walk.seq = seq;
  walk.sum += amount;
  if (walk.sum !== said) page.note("ledger", `entry ${seq} says balance ${said}, recounted ${walk.sum}`);
  if (walk.sum < 0) page.note("ledger", `entry ${seq} takes the balance below zero`);
}

/** Checks that each message of a job was refunded if it has to be, and that its refund is in the ledger. */
function recountMessages(page: Page, job: Job): void {
  for (const [index, { state, refunded }] of job.messages.entries()) {
    const place = `message ${job.seq}.${index}`;
    const isOwed = state === "failed" || state === "cancelled";
    if (isOwed && refunded !== true) page.note("refund", `${place} is ${state} and was not refunded`);
    if (refunded !== true) continue;
    const entry = page.look("SELECT 1 FROM ledger_entry WHERE reference = ?", refundReference(job.seq, index));
    if (!entry) page.note("refund", `${place} is ${state}, refunded true, entry missing`);
  }
}

/** Checks a job, whose row has its request's debit if it is the first of it. */
function recountJob(page: Page, row: Row): void {
  const { walk } = page;
  const seq = number(row, "seq");
  const debit = numberOrNull(row, "debit");
  const id = text(row, "request_id");
  const isFirstHere = page.checkpointSeq > 0 && walk.seq === page.checkpointSeq;
  // The jobs of a request follow each other, the first with the debit.
  if (debit !== null || walk.request?.id !== id) endRequest(page);
  walk.request ??= { id, debit: debit ?? (isFirstHere ? DEBIT_ARCHIVED : 0), charged: 0 };
  recountBalance(page, seq, 0 - (debit ?? 0), number(row, "balance_after"));
  const job = page.job(seq);
  if (!job) return;
  walk.request.charged += job.charge * job.messages.length;
  recountMessages(page, job);
}

/** Checks jobs and entries in the order of their numbers, until the page is full; true once there is no other. */
function recountLedger(page: Page, atSettled: () => void, settledSeq: number): boolean {
  const { sql, walk } = page;
  const query = "SELECT seq, request_id, debit, balance_after FROM job WHERE seq > ? ORDER BY seq";
  const jobs = sql.exec(query, walk.seq);
  const entries = sql.exec("SELECT * FROM ledger_entry WHERE seq > ? ORDER BY seq", walk.seq);
  let [job, entry] = [jobs.next(), entries.next()];
  while (!job.done || !entry.done) {
    if (page.isFull) return false;
    page.count(1);
    const isJob = !job.done && (entry.done || number(job.value, "seq") <= number(entry.value, "seq"));
    const row = isJob ? job.value : entry.value;
    if (!row) break;
    if (number(row, "seq") > settledSeq) atSettled();
    if (isJob) {
      recountJob(page, row);
      job = jobs.next();
      continue;
    }
    endRequest(page);
    recountBalance(page, number(row, "seq"), number(row, "amount"), number(row, "balance_after"));
    recountEntry(page, row);
    entry = entries.next();
  }
  return true;
}

/** Compares, at the end, what the service says with what was summed. */
function recountTotals(page: Page): void {
  const { sql, walk } = page;
  endRequest(page);
  const { balance } = ledgerHead(sql);
  if (balance !== walk.sum) page.note("balance", `the balance is ${balance}, the sum of the entries is ${walk.sum}`);
  const open = walk.shortfall - walk.paid;
  if (open < 0) page.note("debt", `${walk.paid} were paid, which is ${0 - open} too much`);
  if (open !== owed(sql)) page.note("debt", `the account owes ${owed(sql)}, recounted ${open}`);
}

/**
 * Recounts a page of the account, from the cursor of the page before. Without one it begins at the checkpoint, or unless
 * `full` is set where an earlier recount found all of it right; up to there every message is final. Null: no cursor.
 */
export function recountPage({ sql }: Pick<Turn, "sql">, asked: RecountAsked): Recounted | null {
  const bounds = boundsOf(sql);
  const walk = beginning(sql, bounds, asked);
  if (!walk) return null;
  const page = new Page(sql, walk, bounds.checkpoint.seq);
  const from = walk.seq;
  let verified: string | null = null;
  const atSettled = () => {
    if (walk.found === 0 && walk.seq > from && walk.seq <= bounds.settledSeq) {
      verified ??= walkText({ ...walk, segment: 0 });
    }
  };
  const isDone = recountLedger(page, atSettled, bounds.settledSeq) && recountJournal(page);
  if (isDone) recountTotals(page);
  atSettled();
  if (verified !== null && !asked.full) sql.exec("UPDATE account SET verified = ?", verified);
  const { differences, checkpointSeq } = page;
  const next = isDone ? null : walkText(walk);
  return { differences, seq: walk.seq, next, found: walk.found, isArchived: checkpointSeq > 0 };
}

/** All pages at once, which stops the account meanwhile: for callers of the version before, and small accounts. */
export function reconcile(turn: Pick<Turn, "sql">): Difference[] {
  const differences: Difference[] = [];
  for (let cursor: string | null = null; ;) {
    const page = recountPage(turn, { cursor, full: true });
    if (!page) throw new Error("a cursor that was just made is none");
    differences.push(...page.differences);
    if (page.next === null) return differences;
    cursor = page.next;
  }
}
