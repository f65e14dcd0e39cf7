import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { bodyUpTo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { SMS_LENGTH_MAX, apiKey, indianMobile, issueOf, sendAt, senderId, smsText } from "../../http/fields.ts";
import { ENDPOINTS, RECIPIENTS_MAX } from "../../model/operations.ts";
import { priceIndia } from "../../money/pricing.ts";
import { laterOf, ordering } from "../../sending/ordering.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { bulkReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";
import { INDIAN_MOBILE } from "../../text/india.ts";

const LIST = {
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? "recipients is required." : "recipients must be a list of strings.",
};

/** The list's length is checked before its numbers are: each number that is wrong costs more than it is long. */
const recipients = z
  .array(z.unknown(), LIST)
  .check(({ value, issues }) => {
    if (value.length === 0) issues.push(issueOf({ id: "no_recipients" }, value));
    if (value.length > RECIPIENTS_MAX) issues.push(issueOf({ id: "many_recipients", max: RECIPIENTS_MAX }, value));
  })
  .pipe(z.array(indianMobile("each recipient")))
  .meta({
    description: "Indian mobiles: ten digits each, without country code.",
    minItems: 1,
    maxItems: RECIPIENTS_MAX,
    items: { type: "string", pattern: INDIAN_MOBILE.source },
    examples: [["9876543210", "9876543211"]],
  });

const schema = z.object({ recipients, message: smsText, senderId, sendAt, apiKey });

/** A request of 10,000 recipients has 130 KiB, or 250 KiB with each of them on an indented line of its own. */
export const ofList = bodyUpTo(512 * 1024);

/** One text to many Indian mobiles, and its price. */
export const bulkOrdering = ordering({
  schema,
  numbers: "recipients",
  priced: "message",
  text: { from: ["message"], max: SMS_LENGTH_MAX },
  example: { recipients: ["9876543210"], message: "-" },
  order(body, card) {
    const { segments, units } = priceIndia(card, body.message);
    const unique = [...new Set(body.recipients)];
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      kind: "bulk" as const,
      operation: "sms" as const,
      recipients: unique.map((phone) => `+91${phone}`),
      price: { kind: "fixed" as const, units },
      sendAtMs,
      content: body.senderId === undefined ? {} : { sender: body.senderId },
      text: body.message,
    };
    const reply = bulkReply(unique.length, segments, body.recipients.length - unique.length, sendAtMs);
    return { order, reply };
  },
});

/** `POST /send-bulk-sms`: one text to many Indian mobiles, all or nothing (contract §5.2). */
export const sendBulkSms = (app: Api) =>
  app.post(ENDPOINTS.bulk.path, ofList, authenticate(...ENDPOINTS.bulk.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { order, reply } = bulkOrdering.order(body, await currentRateCard(c.env, c.executionCtx));
    return sendOrder(c, body, order, reply);
  });

export const docs = {
  "POST /send-bulk-sms": {
    id: "sendBulkSms",
    tag: "SMS",
    summary: "Send one text to many Indian mobiles",
    description:
      "All or nothing: one number that is wrong refuses the whole list, and `param` names it. A number that stands twice is sent and charged once.",
    reply: "Queued",
    billable: true,
    matched: true,
  },
} satisfies Docs;
