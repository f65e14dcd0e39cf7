import * as z from "zod";
import { amount, listOf, messageId, messageState, operation, requestId, success, time } from "./fields.ts";

// The operator API (contract §10): accounts, their money, keys and leaving.

const accountId = z.string().meta({ pattern: "^acc_[0-9A-Za-z]+$" });
const mode = z.enum(["live", "test"]);
const when = time.nullable();

const account = z.object({
  success,
  account_id: accountId,
  name: z.string().meta({ examples: ["Shop"] }),
  status: z.enum(["active", "suspended", "closing"]),
  plan: z.enum(["starter", "business", "premium"]),
  balance: amount,
  otp_rate: amount.meta({ description: "Coins for one OTP.", examples: [0.25] }),
  requests_per_minute: z.int(),
  created_at: time,
  closes_at: time.optional().meta({ description: "When a closing account is erased." }),
});

const key = z.object({
  key_id: z.string().meta({ description: "Names the key; it is no secret.", pattern: "^key_[0-9A-Za-z]+$" }),
  mode,
  name: z.string(),
  secret_id: z.int().meta({ description: "The id of the secret that made it." }),
  created_at: time,
  last_used_at: when,
  expires_at: when,
  revoked_at: when,
});

const apiKey = z
  .string()
  .nullable()
  .meta({ description: "Null where the secret that made it is not listed any more." });

const entry = z.object({
  seq: z.int(),
  type: z.enum(["debit", "refund", "credit", "adjustment", "checkpoint"]),
  amount: amount.meta({ description: "Coins, signed." }),
  message_id: messageId.nullable(),
  request_id: requestId.nullable(),
  reference: z.string().nullable(),
  balance_after: amount,
  at: time,
});

const message = z
  .object({
    message_id: messageId,
    request_id: requestId,
    operation,
    to: z.string().meta({ description: "E.164, whole." }),
    state: messageState,
    charge: amount,
    carrier: z.string().nullable(),
    attempts: z.int(),
    error_code: z.string().nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "OperatorMessage" });

const archive = z.object({
  name: z.string(),
  month: z.string().meta({ examples: ["2026-11"] }),
  first: z.int(),
  last: z.int(),
  lines: z.int(),
  sums: z.record(z.string(), amount).meta({ description: "Coins by type of entry." }),
  balance_before: amount,
  balance_after: amount,
  bytes: z.int(),
  sha256: z.string(),
  ndjson_bytes: z.int(),
  ndjson_sha256: z.string(),
});

const erasure = z.object({
  account_id: accountId,
  state: z.string().meta({ examples: ["closing"] }),
  by: z.enum(["customer", "operator"]),
  hindrance: z.string().nullable().meta({ description: "Why it could not begin when it was due." }),
  given_up_max: amount,
  asked_at: time,
  closes_at: time,
  began_at: when,
  erased_at: when,
  kept_until: when.meta({ description: "Until when the law keeps its invoices." }),
  invoices: z.array(z.object({ order_id: z.string(), number: z.string(), issued_at: time })),
});

const prefixes = z.array(z.string()).meta({ examples: [["+8821"]] });

const rules = z.object({
  success,
  account_id: accountId,
  countries: z.array(z.string()).nullable().meta({ description: "Null: wherever the rate card has a price." }),
  allow_prefixes: prefixes,
  refuse_prefixes: prefixes,
  spend_cap: amount.nullable().meta({ description: "Coins that a day may cost; null: no cap." }),
  own_spend_cap: amount
    .nullable()
    .meta({ description: "The same, as the account's owner set it; the lower one counts." }),
  otp_per_number: z.int().nullable(),
  otp_per_prefix: z.int().nullable(),
  otp_applies: z
    .object({ per_number: z.int(), per_prefix: z.int() })
    .meta({ description: "The limits that apply, the deployment's where the account has none; 0: none." }),
  today: z.object({ spent: amount, left: amount.nullable(), resets_at: time }),
});

export const OPERATOR_ACCOUNTS = {
  AccountRules: rules.meta({ id: "AccountRules" }),
  Account: account.meta({ id: "Account" }),
  AccountOpened: z
    .object({ success, account_id: accountId, api_key: z.string(), test_key: z.string() })
    .meta({ id: "AccountOpened" }),
  AccountNamed: z.object({ success, account_id: accountId }).meta({ id: "AccountNamed" }),
  AccountRebuilt: z.object({ success, account_id: accountId, mode }).meta({ id: "AccountRebuilt" }),
  Credited: z.object({ success, replayed: z.boolean(), ...entry.shape, balance: amount }).meta({ id: "Credited" }),
  LedgerList: listOf(entry.meta({ id: "LedgerEntry" })).meta({ id: "LedgerList" }),
  OperatorMessageList: listOf(message).meta({ id: "OperatorMessageList" }),
  ArchiveList: listOf(archive.meta({ id: "Archive" }))
    .extend({ checkpoint: z.object({ seq: z.int(), balance: amount }) })
    .meta({ id: "ArchiveList" }),
  KeyList: z.object({ success, data: z.array(key.meta({ id: "Key" })) }).meta({ id: "KeyList" }),
  KeyMade: z.object({ success, ...key.shape, api_key: apiKey }).meta({ id: "KeyMade" }),
  KeyNamed: z.object({ success, key_id: key.shape.key_id }).meta({ id: "KeyNamed" }),
  KeyRotated: z
    .object({
      success,
      key_id: key.shape.key_id,
      api_key: apiKey,
      replaces: key.shape.key_id,
      old_expires_at: when,
    })
    .meta({ id: "KeyRotated" }),
  KeysExpired: z.object({ success, expired: z.array(key.meta({ id: "Key" })) }).meta({ id: "KeysExpired" }),
  Erasure: z.object({ success, ...erasure.shape }).meta({ id: "ErasureReply" }),
  ErasureList: listOf(erasure.meta({ id: "Erasure" })).meta({ id: "ErasureList" }),
};
