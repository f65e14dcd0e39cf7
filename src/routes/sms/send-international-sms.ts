import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { SMS_LENGTH_MAX, apiKey, e164, optional, parsedNumber, sendAt, senderId, smsText } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceAbroad, priceIndia } from "../../money/pricing.ts";
import { laterOf, ordering } from "../../sending/ordering.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { smsReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";

const isFlash = optional(
  z
    .boolean("isFlash must be true or false.")
    .meta({ description: "Whether it is shown at once and not stored.", default: false, examples: [false] }),
);

const schema = z.object({ phone: e164, message: smsText, isFlash, senderId, sendAt, apiKey });

/** One SMS abroad, and its price; a +91 mobile is priced and routed as India. */
export const internationalOrdering = ordering({
  schema,
  numbers: "phone",
  priced: "message",
  text: { from: ["message"], max: SMS_LENGTH_MAX },
  example: { phone: "+919876543210", message: "-" },
  order(body, card) {
    const { country, countryCallingCode, number } = parsedNumber(body.phone);
    const india = countryCallingCode === "91";
    const price = india ? priceIndia(card, body.message) : priceAbroad(card, body.message, country, countryCallingCode);
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      kind: "international" as const,
      operation: india ? ("sms" as const) : ("sms_international" as const),
      recipients: [number],
      price: { kind: "fixed" as const, units: price.units ?? 0 },
      sendAtMs,
      content: {
        flash: body.isFlash ?? false,
        ...(body.senderId !== undefined && { sender: body.senderId }),
      },
      text: body.message,
      ...(price.units === null && { notOffered: { callingCode: countryCallingCode, country: country ?? null } }),
    };
    return { order, reply: smsReply(price.segments, sendAtMs) };
  },
});

/** `POST /send-international-sms`: one SMS abroad; a +91 mobile is priced and routed as India (contract §5.3). */
export const sendInternationalSms = (app: Api) =>
  app.post(
    ENDPOINTS.international.path,
    authenticate(...ENDPOINTS.international.keyIn),
    jsonBody(schema),
    async (c) => {
      const body = c.req.valid("json");
      const { order, reply } = internationalOrdering.order(body, await currentRateCard(c.env, c.executionCtx));
      return sendOrder(c, body, order, reply);
    },
  );

export const docs = {
  "POST /send-international-sms": {
    id: "sendInternationalSms",
    tag: "SMS",
    summary: "Send one SMS abroad",
    description:
      "Costs by segment and country. `permission_denied` where a country is not offered. An Indian mobile is priced as in `sendSms`.",
    reply: "Queued",
    billable: true,
    matched: true,
  },
} satisfies Docs;
