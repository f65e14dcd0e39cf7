import type { PreflightAsked, Preflighted, Refusal, SendCommand } from "../../../model/command.ts";
import type { Content } from "../../../model/message.ts";
import { SEND_LATE_MS } from "../../../model/operations.ts";
import { VOICE_BLOCK_MS } from "../../../money/pricing.ts";
import { ledgerHead } from "../billing/ledger.ts";
import type { LedgerHead } from "../billing/ledger.ts";
import { overDay } from "../limits/daily-recipients.ts";
import { otpRateOf, readAccount } from "../profile.ts";
import type { AccountRow } from "../profile.ts";
import type { Turn } from "../turn.ts";
import { findRecording } from "../voice/recordings.ts";
import { isUsable } from "./used.ts";

// What a send costs and why the account refuses it: one place for the send itself and for the preflight of it.

type Asked = Pick<SendCommand, "price" | "notOffered" | "sendAtMs" | "quote">;

/** Units per message, and what the carrier needs to know of a recording. */
export interface Priced {
  charge: number;
  recording?: Content["recording"];
}

/** The price of each message; null when the account has no such recording. A quote's price goes before any other. */
export function priced(sql: SqlStorage, { price, quote }: Asked, account: AccountRow): Priced | null {
  switch (price.kind) {
    case "fixed":
      return { charge: quote?.units ?? price.units };
    case "otp":
      return { charge: quote?.units ?? otpRateOf(account) };
    case "recording": {
      const found = findRecording(sql, price.fileId);
      if (!found) return null;
      const { objectKey, mime, durationMs } = found;
      const charge = quote?.units ?? price.unitsPerBlock * Math.ceil(durationMs / VOICE_BLOCK_MS);
      return { charge, recording: { objectKey, mime } };
    }
  }
}

/** Why the account refuses a request that its status and its limits admit, in the order of contract §3; empty: it does not. */
export function refusalsOf(
  turn: Turn,
  { closesAt }: AccountRow,
  { notOffered, sendAtMs, quote }: Asked,
  order: Priced | null,
  { recipients, balance }: { recipients: number } & Pick<LedgerHead, "balance">,
): Refusal[] {
  const refusals: Refusal[] = [];
  if (closesAt !== null) refusals.push({ ok: false, reason: "account_closing", closesAt });
  if (notOffered && !quote) refusals.push({ ok: false, reason: "not_offered", ...notOffered });
  // Only here, so that a request that is repeated after its time gets its reply again.
  if (sendAtMs !== undefined && sendAtMs < turn.nowMs - SEND_LATE_MS) {
    refusals.push({ ok: false, reason: "send_at_past" });
  }
  if (!order) return [...refusals, { ok: false, reason: "unknown_file" }];
  if (quote && !isUsable(turn, quote)) refusals.push({ ok: false, reason: "invalid_quote" });
  const needed = order.charge * recipients;
  if (balance < needed) refusals.push({ ok: false, reason: "insufficient_balance", needed, balance });
  return refusals;
}

/** What a send would cost, and every reason for which the account would refuse it. Changes nothing, and counts nowhere. */
export function preflight(turn: Turn, { recipients, daily, ...asked }: PreflightAsked): Preflighted {
  const account = readAccount(turn.sql);
  const { balance } = ledgerHead(turn.sql);
  const order = priced(turn.sql, asked, account);
  const refusals: Refusal[] = [];
  const beyond = daily && overDay(turn, daily);
  if (beyond) refusals.push(beyond);
  if (account.status === "suspended") refusals.push({ ok: false, reason: "account_suspended" });
  refusals.push(...refusalsOf(turn, account, asked, order, { recipients, balance }));
  return { ok: true, refusals, charge: order?.charge ?? null, balance };
}
