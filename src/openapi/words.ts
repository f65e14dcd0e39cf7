import { PRODUCT } from "../config/settings.ts";
import type { Tag } from "../http/docs.ts";
import { STATUS_OF_CODE } from "../http/errors.ts";

// The prose that belongs to no single route.

/** What the groups of operations are for. */
export const TAGS: Readonly<Record<Tag, string>> = {
  SMS: "Text messages to one or many Indian mobiles, and abroad.",
  OTP: "One-time passwords, which the caller makes.",
  Calls: "Calls that speak a text or play a recording.",
  Account: "The account of the key.",
  DLT: "India's registered headers and templates, with which messages are matched before the charge.",
  Messages: "What was sent, and what became of it.",
  Events: "What happens in an account, in order and without a gap.",
  Webhooks: "Events, posted to an address of yours.",
  Recordings: "The recordings that calls can play.",
  "Test inbox": "What test keys sent, for automated tests.",
  "Ways in": "Requests in the shapes of other services and products.",
  "Operator: accounts": "Accounts, their money and their keys.",
  "Operator: carriers": "Carriers, and which messages go to which of them.",
  "Operator: service": "Prices, health and upkeep of the service.",
};

/** What each status of a failure means. */
const FAILURES: Readonly<Record<number, string>> = {
  400: "A field, a parameter or the body is missing or not valid. Nothing was done.",
  401: "The key is missing or not valid.",
  403: "The balance cannot pay for this, or it is not allowed.",
  404: "There is no such thing.",
  409: "It cannot be done at this time.",
  410: "It is not kept any more.",
  413: "The body is larger than 10 MiB.",
  415: "The body is not JSON.",
  422: "This Idempotency-Key was used for another request.",
  429: "The limit of requests is reached; waiting `Retry-After` seconds is enough.",
  500: "A fault of the service; whether this was done is unknown. Repeat it with the same Idempotency-Key.",
  503: "The service is busy; whether this was done is unknown. Repeat it with the same Idempotency-Key.",
};

/** What a status of a failure means. */
export const failureWords = (status: number): string => FAILURES[status] ?? "It was refused; `code` says why.";

/** The statuses of failures, in order. */
export const FAILURE_STATUSES = [...new Set(Object.values(STATUS_OF_CODE))].toSorted((one, other) => one - other);

const ENVELOPE = `Every reply is JSON and carries \`X-Request-Id\`. A success has status 200 and \`"success": true\`; a failure has one
sentence in \`error\`, a \`code\` to branch on and, where they are known, the field at fault in \`param\` and the remedy in
\`hint\`. Replies may get more fields: ignore those that you do not know.`;

const ONCE = `Send an \`Idempotency-Key\` with whatever may be repeated: the same key with the same body is done once, for 7 days, and
the repetition gets the reply of the first request, byte for byte.`;

/** The document for an account's programs. */
export const API = {
  title: PRODUCT,
  summary: "Prepaid SMS, one-time passwords and calls.",
  description: [
    `${PRODUCT} sends SMS, one-time passwords and calls from a prepaid balance. Amounts are in coins; one coin is one rupee.`,
    ENVELOPE,
    ONCE,
    `Keys begin with \`dsk_live_\` or \`dsk_test_\`. A test key has the same requests and replies, draws on play coins, and
reaches the test inbox instead of phones. Keys do not belong in browsers: the API has no CORS.`,
  ].join("\n\n"),
};

/** The document for the operator of a deployment. */
export const OPERATOR = {
  title: `${PRODUCT} operator API`,
  summary: "Accounts, money, keys, prices and health of a deployment.",
  description: [
    "For the operator of a deployment, with `OPERATOR_TOKEN` or through Cloudflare Access. Amounts are in coins. It has no rate limit.",
    ENVELOPE,
    ONCE,
  ].join("\n\n"),
};
