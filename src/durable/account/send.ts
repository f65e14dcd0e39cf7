import type { DoneOrRefusal, Refusal, SendCommand } from "../../model/command.ts";
import { laneOf } from "../../model/lane.ts";
import type { ClaimedJob, Content } from "../../model/message.ts";
import { SEND_LATE_MS } from "../../model/operations.ts";
import { VOICE_BLOCK_MS } from "../../money/pricing.ts";
import { admitRequest, writeTimes } from "./admission.ts";
import { remember } from "./idempotency.ts";
import { readJob, secretOf } from "./jobs.ts";
import { countRecipients } from "./limits/daily-recipients.ts";
import { ledgerHead } from "./billing/ledger.ts";
import { insertJobs, sendAtOf } from "./new-jobs.ts";
import { otpRateOf } from "./profile.ts";
import type { AccountRow } from "./profile.ts";
import { sealedText } from "./retention/text-keys.ts";
import type { Turn } from "./turn.ts";
import { findRecording } from "./voice/recordings.ts";

/** Units per message and the content for the carrier; null when the account has no such recording. */
function priced(
  sql: SqlStorage,
  command: SendCommand,
  account: AccountRow,
): { charge: number; content: Content } | null {
  const { price, content } = command;
  switch (price.kind) {
    case "fixed":
      return { charge: price.units, content };
    case "otp":
      return { charge: otpRateOf(account), content };
    case "recording": {
      const found = findRecording(sql, price.fileId);
      if (!found) return null;
      const { objectKey, mime, durationMs } = found;
      const charge = price.unitsPerBlock * Math.ceil(durationMs / VOICE_BLOCK_MS);
      return { charge, content: { ...content, recording: { objectKey, mime } } };
    }
  }
}

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
  const { closesAt } = admitted.account;
  if (closesAt !== null) return refuse({ ok: false, reason: "account_closing", closesAt });
  if (command.notOffered !== undefined) {
    return refuse({ ok: false, reason: "not_offered", ...command.notOffered });
  }
  // Only here, so that a request that is repeated after its time gets its reply again.
  if (command.sendAtMs !== undefined && command.sendAtMs < turn.nowMs - SEND_LATE_MS) {
    return refuse({ ok: false, reason: "send_at_past" });
  }
  const order = priced(sql, command, admitted.account);
  if (!order) return refuse({ ok: false, reason: "unknown_file" });
  const spent = order.charge * command.recipients.length;
  const head = ledgerHead(sql);
  if (head.balance < spent) {
    return refuse({ ok: false, reason: "insufficient_balance", needed: spent, balance: head.balance });
  }
  const inserted = insertJobs(turn, { ...command, content: order.content }, order.charge, head);
  countRecipients(turn, command.recipients.length);
  const { balance, claimed } = inserted;
  const idSecret = command.idSecret === undefined ? {} : { idSecret: command.idSecret };
  const seq = inserted.seqs[0] ?? 0;
  remember(turn, command.idempotency, { spent, balance, seq });
  const isLater = sendAtOf(turn, command) !== null;
  const waiting = claimed.length > 0 || isLater ? null : laneOf(command.operation, command.recipients.length);
  const done = { spent, balance, seq, ...idSecret, claimed, waiting, window: admitted.window };
  return { ok: true, replayed: false, template: null, ...done };
}
