import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { apiKey, e164, optional, parsedNumber, sendAt, senderId, smsText } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceAbroad, priceIndia } from "../../money/pricing.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { smsReply } from "../../sending/replies.ts";
import { laterOf, sendOrder } from "../../sending/send-order.ts";

const isFlash = optional(
  z
    .boolean("isFlash must be true or false.")
    .meta({ description: "Whether it is shown at once and not stored.", default: false, examples: [false] }),
);

const schema = z.object({ phone: e164, message: smsText, isFlash, senderId, sendAt, apiKey });

/** `POST /send-international-sms`: one SMS abroad; a +91 mobile is priced and routed as India (contract §5.3). */
export const sendInternationalSms = (app: Api) =>
  app.post(
    ENDPOINTS.international.path,
    authenticate(...ENDPOINTS.international.keyIn),
    jsonBody(schema),
    async (c) => {
      const body = c.req.valid("json");
      const { country, countryCallingCode, number } = parsedNumber(body.phone);
      const card = await currentRateCard(c.env, c.executionCtx);
      const india = countryCallingCode === "91";
      const price = india
        ? priceIndia(card, body.message)
        : priceAbroad(card, body.message, country, countryCallingCode);
      const sendAtMs = laterOf(body.sendAt);
      const order = {
        operation: india ? ("sms" as const) : ("sms_international" as const),
        recipients: [number],
        price: { kind: "fixed" as const, units: price.units ?? 0 },
        sendAtMs,
        content: {
          flash: body.isFlash ?? false,
          ...(body.senderId !== undefined && { sender: body.senderId }),
        },
        text: body.message,
        ...(price.units === null && {
          notOffered: { callingCode: countryCallingCode, country: country ?? null },
        }),
      };
      return sendOrder(c, body, order, smsReply(price.segments, sendAtMs));
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
  },
} satisfies Docs;
