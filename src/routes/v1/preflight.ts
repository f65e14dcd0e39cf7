import * as z from "zod";
import { keyOf, wireDlt } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import type { Failure } from "../../http/errors.ts";
import type { SendKind } from "../../model/operations.ts";
import { coins } from "../../money/money.ts";
import { accountKey } from "../../sending/account-api.ts";
import type { Drafting } from "../../sending/ordering.ts";
import { preflightOf } from "../../sending/preflight.ts";
import type { Preflight } from "../../sending/preflight.ts";
import { refuse } from "../../sending/send-order.ts";
import { otpOrdering } from "../otp/send-otp.ts";
import { bulkOrdering, ofList } from "../sms/send-bulk-sms.ts";
import { internationalOrdering } from "../sms/send-international-sms.ts";
import { smsOrdering } from "../sms/send-sms.ts";
import { ttsOrdering } from "../tts/tts-call.ts";
import { voiceOrdering } from "../voice/make-voice-call.ts";

/** How each kind of send reads and prices its fields: what its endpoint itself uses. */
export const ORDERINGS: Readonly<Record<SendKind, Drafting>> = {
  sms: smsOrdering,
  bulk: bulkOrdering,
  international: internationalOrdering,
  otp: otpOrdering,
  tts: ttsOrdering,
  voice: voiceOrdering,
};

/** The operations by the names that a preflight gives them. */
const KINDS = {
  sms: "sms",
  bulk: "bulk",
  sms_international: "international",
  tts: "tts",
  voice: "voice",
  otp: "otp",
} as const satisfies Record<string, SendKind>;

type Asked = keyof typeof KINDS;

/** The ids of these operations in the API's document, for those who make clients of it. */
const FIELDS_OF: Readonly<Record<Asked, string>> = {
  sms: "sendSms",
  bulk: "sendBulkSms",
  sms_international: "sendInternationalSms",
  tts: "ttsCall",
  voice: "makeVoiceCall",
  otp: "sendOtp",
};

const NAMES = Object.keys(KINDS) as [Asked, ...Asked[]];

/** The fields of the operation are checked by its own schema, whose faults are the reply. */
const schema = z
  .looseObject({
    operation: z.enum(NAMES, `operation must be one of ${NAMES.join(", ")}.`).meta({
      description: "What would be sent. Its other fields stand beside it, such as `phone` and `message` of an SMS.",
      examples: ["sms"],
      "x-fields-of": FIELDS_OF,
    }),
  })
  .meta({ examples: [{ operation: "sms", phone: "9876543210", message: "Your order is on its way." }] });

const wireProblem = ({ param, code, error, hint, dlt, next_at }: Failure) => ({
  param: param ?? null,
  code,
  error,
  hint,
  dlt: dlt && wireDlt(dlt),
  next_at,
});

/** A preflight as the API shows it: amounts in coins. */
function wirePreflight({ problems, recipients, text, cost, balanceAfter, quote }: Preflight) {
  const { given, valid, duplicates, invalid } = recipients;
  return {
    success: true,
    would: quote ? "send" : "refuse",
    problems: problems.map(wireProblem),
    recipients: {
      given,
      valid,
      duplicates,
      invalid: invalid.map(({ index, value, failure }) => ({ index, value, error: failure.error })),
    },
    text: text && {
      encoding: text.encoding,
      characters: text.characters,
      segments: text.segments,
      left: text.left,
      unicode: text.unicode.map(({ char, codePoint, at, instead }) => ({ char, code_point: codePoint, at, instead })),
      segments_if_replaced: text.segmentsIfReplaced,
    },
    cost: cost === null ? null : coins(cost),
    balance_after: balanceAfter === null ? null : coins(balanceAfter),
    quote: quote && quote.text,
    quote_until: quote && new Date(quote.untilMs).toISOString(),
  };
}

/** `POST /v1/preflight`: everything that a send does, but sending, and a price that is honoured (contract §13). */
export const preflight = (app: Api) =>
  app.post("/v1/preflight", ofList, accountKey, jsonBody(schema), async (c) => {
    const { operation, ...fields } = c.req.valid("json");
    const key = keyOf(c);
    const asked = { keyId: key.keyId, ...(key.secretId !== undefined && { secretId: key.secretId }) };
    const found = await preflightOf(c, key, ORDERINGS[KINDS[operation]], fields, asked);
    return found?.ok ? c.json(wirePreflight(found.preflight)) : refuse(c, found);
  });

export const docs = {
  "POST /v1/preflight": {
    id: "preflight",
    tag: "Messages",
    summary: "Check a send without sending",
    description:
      "Everything that the operation does, but sending: every problem at once, the recipients, the segments of the text and the price. Free, and not counted by the plan's limit. Send with `Price-Quote: <quote>` within 10 minutes to pay that price, once.",
    reply: "Preflight",
  },
} satisfies Docs;
