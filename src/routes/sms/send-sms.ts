import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { apiKey, indianMobile, sendAt, senderId, smsText } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceIndia } from "../../money/pricing.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { smsReply } from "../../sending/replies.ts";
import { laterOf, sendOrder } from "../../sending/send-order.ts";

const schema = z.object({ phone: indianMobile("phone"), message: smsText, senderId, sendAt, apiKey });

/** `POST /send-sms`: one SMS to an Indian mobile (contract §5.1). */
export const sendSms = (app: Api) =>
  app.post(ENDPOINTS.sms.path, authenticate(...ENDPOINTS.sms.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { segments, units } = priceIndia(await currentRateCard(c.env, c.executionCtx), body.message);
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      operation: "sms" as const,
      recipients: [`+91${body.phone}`],
      price: { kind: "fixed" as const, units },
      sendAtMs,
      content: body.senderId === undefined ? {} : { sender: body.senderId },
      text: body.message,
    };
    return sendOrder(c, body, order, smsReply(segments, sendAtMs));
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
  },
} satisfies Docs;
