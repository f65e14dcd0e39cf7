import type { PreflightAsked, Preflighted, Refusal, SendCommand } from "../../../model/command.ts";
import type { Content } from "../../../model/message.ts";
import { SEND_LATE_MS } from "../../../model/operations.ts";
import { VOICE_BLOCK_MS } from "../../../money/pricing.ts";
import { ledgerHead } from "../billing/ledger.ts";
import type { LedgerHead } from "../billing/ledger.ts";
import { checkPreflight } from "../dlt/check.ts";
import { overCancels } from "../limits/daily-cancels.ts";
import { againstRules, rulesOf } from "../limits/rules.ts";
import { overCap } from "../limits/spending.ts";
import { overDay } from "../limits/daily-recipients.ts";
import { otpRateOf, readAccount } from "../profile.ts";
import type { AccountRow } from "../profile.ts";
import type { Turn } from "../turn.ts";
import { findRecording } from "../voice/recordings.ts";
import { isUsable } from "./used.ts";

// What a send costs and why the account refuses it: one place for the send itself and for the preflight of it.

type Asked = Pick<SendCommand, "price" | "notOffered" | "sendAtMs" | "quote"> &
  Pick<SendCommand, "recipients" | "screen"> & { operation?: SendCommand["operation"] | undefined };

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
  account: AccountRow,
  asked: Asked,
  order: Priced | null,
  { recipients, balance }: { recipients: number } & Pick<LedgerHead, "balance">,
  dlt: Refusal | null = null,
): Refusal[] {
  const { closesAt } = account;
  const { notOffered, sendAtMs, quote } = asked;
  const refusals: Refusal[] = [];
  if (closesAt !== null) refusals.push({ ok: false, reason: "account_closing", closesAt });
  if (notOffered && !quote) refusals.push({ ok: false, reason: "not_offered", ...notOffered });
  refusals.push(...againstRules(turn, account, asked));
  // Only here, so that a request that is repeated after its time gets its reply again.
  if (sendAtMs !== undefined && sendAtMs < turn.nowMs - SEND_LATE_MS) {
    refusals.push({ ok: false, reason: "send_at_past" });
  }
  const beyond = sendAtMs !== undefined && sendAtMs > turn.nowMs ? overCancels(turn) : null;
  if (beyond) refusals.push(beyond);
  if (!order) return [...refusals, { ok: false, reason: "unknown_file" }];
  if (quote && !isUsable(turn, quote)) refusals.push({ ok: false, reason: "invalid_quote" });
  if (dlt) refusals.push(dlt);
  const needed = order.charge * recipients;
  const beyondCap = overCap(turn, rulesOf(account), needed);
  if (beyondCap) refusals.push(beyondCap);
  if (balance < needed) refusals.push({ ok: false, reason: "insufficient_balance", needed, balance });
  return refusals;
}

/** What a send would cost, and every reason for which the account would refuse it. Changes nothing, and counts nowhere. */
export function preflight(turn: Turn, given: PreflightAsked): Preflighted {
  const { recipients, daily, to = [], operation, ...rest } = given;
  const account = readAccount(turn.sql);
  const { balance } = ledgerHead(turn.sql);
  const asked = { ...rest, recipients: to, operation };
  const order = priced(turn.sql, asked, account);
  const checked = checkPreflight(turn, given);
  const warned = checked?.warning === undefined ? {} : { dltWarning: checked.warning };
  const refusals: Refusal[] = [];
  const beyond = daily && overDay(turn, daily);
  if (beyond) refusals.push(beyond);
  if (account.status === "suspended") refusals.push({ ok: false, reason: "account_suspended" });
  refusals.push(...refusalsOf(turn, account, asked, order, { recipients, balance }, checked?.refusal));
  return { ok: true, refusals, charge: order?.charge ?? null, balance, ...warned };
}
