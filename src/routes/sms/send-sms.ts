import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { SMS_LENGTH_MAX, apiKey, indianMobile, sendAt, senderId, smsText } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceIndia } from "../../money/pricing.ts";
import { laterOf, ordering } from "../../sending/ordering.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { smsReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";

const schema = z.object({ phone: indianMobile("phone"), message: smsText, senderId, sendAt, apiKey });

/** One SMS to an Indian mobile, and its price. */
export const smsOrdering = ordering({
  schema,
  numbers: "phone",
  priced: "message",
  text: { from: ["message"], max: SMS_LENGTH_MAX },
  example: { phone: "9876543210", message: "-" },
  order(body, card) {
    const { segments, units } = priceIndia(card, body.message);
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      kind: "sms" as const,
      operation: "sms" as const,
      recipients: [`+91${body.phone}`],
      price: { kind: "fixed" as const, units },
      sendAtMs,
      content: body.senderId === undefined ? {} : { sender: body.senderId },
      text: body.message,
    };
    return { order, reply: smsReply(segments, sendAtMs) };
  },
});

/** `POST /send-sms`: one SMS to an Indian mobile (contract §5.1). */
export const sendSms = (app: Api) =>
  app.post(ENDPOINTS.sms.path, authenticate(...ENDPOINTS.sms.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { order, reply } = smsOrdering.order(body, await currentRateCard(c.env, c.executionCtx));
    return sendOrder(c, body, order, reply);
  });

export const docs = {
  "POST /send-sms": {
    id: "sendSms",
    tag: "SMS",
    summary: "Send one SMS to an Indian mobile",
    description:
      "Costs one coin for each segment, by the usual rate card. The reply comes before the SMS is delivered.",
    reply: "Queued",
    billable: true,
    matched: true,
  },
} satisfies Docs;
