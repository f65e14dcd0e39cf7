import type { DoneOrRefusal, Refusal, SendCommand } from "../../model/command.ts";
import { laneOf } from "../../model/lane.ts";
import type { ClaimedJob } from "../../model/message.ts";
import { admitRequest, writeTimes } from "./admission.ts";
import { remember } from "./idempotency.ts";
import { readJob, secretOf } from "./jobs.ts";
import { countRecipients } from "./limits/daily-recipients.ts";
import { countOtp, countSpent } from "./limits/counted.ts";
import { ledgerHead } from "./billing/ledger.ts";
import { checkSend } from "./dlt/check.ts";
import { insertJobs, sendAtOf } from "./new-jobs.ts";
import { priced, refusalsOf } from "./quotes/judge.ts";
import { noteUsed } from "./quotes/used.ts";
import { sealedText } from "./retention/text-keys.ts";
import type { Turn } from "./turn.ts";

/**
 * The claim of a message for the same invocation, which repeats its call because it never got the answer: its request id
 * is the one that is stored, and nothing has happened to the message since.
 */
function claimAgain(sql: SqlStorage, { requestId, take }: SendCommand, seq: number): ClaimedJob[] {
  const job = take ? readJob(sql, seq) : null;
  const [only] = job?.messages ?? [];
  if (!job || !only || job.requestId !== requestId || job.lane === "bulk" || job.carrier === null) return [];
  if (only.state !== "sending" || only.attempts !== 1) return [];
  const { operation, carrier, content, storedText } = job;
  const text = sealedText(sql, storedText);
  if (storedText && !text) return [];
  const shared = { seq, carrier, requestId, operation, content, text, ...secretOf(job) };
  return [{ ...shared, messages: [{ index: 0, to: only.to, attempt: 1 }] }];
}

/**
 * Carries out one billable request: refuses it in the order of contract §3, or writes the debit, the messages (which
 * are also the outbox) and the idempotency record together.
 */
export function send(turn: Turn, command: SendCommand): DoneOrRefusal {
  const { sql } = turn;
  const admitted = admitRequest(turn, command);
  if (!admitted.ok) return admitted;
  if (admitted.replayed) return { ...admitted, claimed: claimAgain(sql, command, admitted.seq) };
  const refuse = (refusal: Refusal): Refusal => {
    writeTimes(turn);
    return { ...refusal, window: admitted.window };
  };
  const head = ledgerHead(sql);
  const order = priced(sql, command, admitted.account);
  const size = { recipients: command.recipients.length, balance: head.balance };
  const checked = checkSend(turn, command);
  const [refusal] = refusalsOf(turn, admitted.account, command, order, size, checked?.refusal);
  if (refusal || !order) return refuse(refusal ?? { ok: false, reason: "unknown_file" });
  const spent = order.charge * command.recipients.length;
  const recording = order.recording && { recording: order.recording };
  const content = recording || checked ? { ...command.content, ...recording, ...checked?.content } : command.content;
  const segments = checked?.segments === undefined ? {} : { segments: checked.segments };
  const inserted = insertJobs(turn, { ...command, content, ...segments }, order.charge, head);
  if (command.quote) noteUsed(turn, command.quote);
  countRecipients(turn, command.recipients.length);
  countSpent(turn, spent);
  const { balance, claimed } = inserted;
  const idSecret = command.idSecret === undefined ? {} : { idSecret: command.idSecret };
  const seq = inserted.seqs[0] ?? 0;
  if (command.operation === "otp") countOtp(turn, seq, command.recipients[0] ?? "");
  remember(turn, command.idempotency, { spent, balance, seq });
  const isLater = sendAtOf(turn, command) !== null;
  const waiting = claimed.length > 0 || isLater ? null : laneOf(command.operation, command.recipients.length);
  const warned = checked?.warning === undefined ? {} : { dltWarning: checked.warning };
  const done = { spent, balance, seq, ...idSecret, ...warned, claimed, waiting, window: admitted.window };
  return { ok: true, replayed: false, template: null, ...done };
}
