import { warningOf } from "../../../dlt/judge.ts";
import type { Judged, Rules } from "../../../dlt/judge.ts";
import { OTP_SEGMENTS_MAX, tooManySegments } from "../../../dlt/otp.ts";
import type { PreflightAsked, Refusal, SendCommand } from "../../../model/command.ts";
import type { Content } from "../../../model/message.ts";
import { countSegments } from "../../../text/segments.ts";
import { outgoingText } from "../../../text/otp-text.ts";
import type { Turn } from "../turn.ts";
import { rulesOf } from "./rows.ts";

// India's rules before the charge (contract §17.2): in the transaction that would debit the account, against the registry
// of that moment. An account that has none, or whose registry is off, reads nothing and unseals nothing.

/** What the rules say of a request. */
export interface Checked {
  /** Why it is refused; null: it is not. */
  refusal: Refusal | null;
  /** What its messages hold of it. */
  content: Pick<Content, "dlt" | "sender" | "otp">;
  /** Segments of each message, where it has another text than the one that was asked for. */
  segments?: number;
  warning?: string;
}

const timeOf = ({ nowMs }: Turn, sendAtMs: number | undefined) => Math.max(nowMs, sendAtMs ?? nowMs);

/** The verdict as it is stored and answered. */
function checked({ refusal, fields, sender }: Judged, isStrict: boolean): Checked {
  const warning = refusal && !isStrict ? warningOf(refusal) : undefined;
  return {
    refusal: refusal && isStrict ? { ok: false, ...refusal } : null,
    content: { dlt: { ...fields, ...(warning !== undefined && { warning }) }, ...(sender !== undefined && { sender }) },
    ...(warning !== undefined && { warning }),
  };
}

/** Refuses a one-time password whose brand makes the account's own text too long; null where it may go out. */
function overLong(given: string, { otp }: Rules): Refusal | null {
  const segments = tooManySegments(outgoingText(given, otp));
  return segments === null ? null : { ok: false, reason: "otp_long", segments, max: OTP_SEGMENTS_MAX };
}

/** What the rules say of a request; null where they do not concern it. */
export function checkSend(turn: Turn, command: SendCommand): Checked | null {
  const { operation, text, content, sendAtMs } = command;
  if ((operation !== "sms" && operation !== "otp") || !text) return null;
  const rules = rulesOf(turn.sql);
  if (!rules) return null;
  const given = turn.unseal(text);
  const atMs = timeOf(turn, sendAtMs);
  const asked = { operation, text: given, ...(content.sender !== undefined && { sender: content.sender }) };
  const found = checked(rules.judge({ ...asked, atMs, hours: turn.dltHours }), rules.isStrict);
  if (operation !== "otp" || !rules.otp) return found;
  const refusal = found.refusal ?? overLong(given, rules);
  const { segments } = countSegments(outgoingText(given, rules.otp));
  return { ...found, refusal, content: { ...found.content, otp: rules.otp }, segments };
}

/** The same for a preflight. */
export function checkPreflight(
  turn: Turn,
  { dlt, sendAtMs }: PreflightAsked,
): Pick<Checked, "refusal" | "warning"> | null {
  const rules = dlt && rulesOf(turn.sql);
  if (!rules) return null;
  const found = checked(rules.judge({ ...dlt, atMs: timeOf(turn, sendAtMs), hours: turn.dltHours }), rules.isStrict);
  if (dlt.operation !== "otp" || !rules.otp) return found;
  return { ...found, refusal: found.refusal ?? overLong(dlt.text, rules) };
}
