import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { twilioMessage, twilioTime } from "../../activity/wire-twilio.ts";
import { messageSid } from "../../crypto/ids.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { formToo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { SMS_LENGTH_MAX, optional } from "../../http/fields.ts";
import type { TwilioTerms } from "../../model/message.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { placeOrder } from "../../sending/send-order.ts";
import { codePoints } from "../../text/code-points.ts";
import { readPhone } from "../../text/phones.ts";
import { countSegments } from "../../text/segments.ts";
import { ADDRESS_FAULTS, refusedAddress } from "../../webhooks/guard.ts";
import { orderSms } from "./one-sms.ts";
import { TWILIO_BASE, accountSidOf, failAs, inTwilioShape } from "./twilio-shape.ts";

// Sending in Twilio's form (contract §15): one SMS, ordered as operation 3 orders it.

/** Twilio's longest `ValidityPeriod`, in seconds. */
const VALIDITY_SEC_MAX = 36_000;

/** The longest `From` that is shown again. */
const FROM_MAX = 40;

const field = (name: string) => optional(z.string(`${name} must be a text, once.`));

const schema = z.object({
  To: field("To"),
  From: field("From"),
  MessagingServiceSid: field("MessagingServiceSid"),
  Body: field("Body"),
  StatusCallback: field("StatusCallback"),
  ValidityPeriod: field("ValidityPeriod"),
  ScheduleType: field("ScheduleType"),
  SendAt: field("SendAt"),
  MediaUrl: optional(z.unknown()),
  ContentSid: optional(z.unknown()),
});

type Body = z.output<typeof schema>;
type Ctx = Context<AppEnv>;

/** The header with which Twilio names a request that is repeated, as the header of contract §8. */
export const idempotencyToken: MiddlewareHandler<AppEnv> = (c, next) => {
  const token = c.req.header("i-twilio-idempotency-token");
  if (token !== undefined && c.req.header("idempotency-key") === undefined) {
    const headers = new Headers(c.req.raw.headers);
    headers.set("idempotency-key", token);
    c.req.raw = new Request(c.req.raw, { headers });
  }
  return next();
};

/** Refuses what this API has no counterpart for, so that nothing is left out silently. */
function refuseOthers(c: Ctx, body: Body): void {
  if (body.MediaUrl !== undefined) {
    fail("invalid_request", "There are no media messages here; leave MediaUrl out.", { param: "MediaUrl" });
  }
  if (body.ContentSid !== undefined) {
    fail("invalid_request", "There are no content templates here; send the text as Body.", { param: "ContentSid" });
  }
  for (const name of ["To", "From"] as const) {
    if (/^(whatsapp|messenger|rcs):/iu.test(body[name] ?? "")) {
      fail("invalid_request", `${name} must be a phone number: only SMS is sent here.`, { param: name });
    }
  }
  if (!body.To) failAs(c, 21_604, "To is required: the number of the recipient.", "To");
  if (!body.Body) failAs(c, 21_602, "Body is required: the text of the SMS.", "Body");
}

/** The order's fields; a text that is too long is refused with Twilio's number for that. */
function smsFields(c: Ctx, { To = "", Body: message = "", From, ScheduleType, SendAt }: Body) {
  const length = codePoints(message);
  if (length > SMS_LENGTH_MAX) {
    fail("invalid_request", `Body may have ${SMS_LENGTH_MAX} characters, and has ${length}.`, { param: "Body" });
  }
  if (ScheduleType !== undefined && ScheduleType !== "fixed") {
    failAs(c, 35_113, "ScheduleType must be fixed.", "ScheduleType");
  }
  if (ScheduleType !== undefined && SendAt === undefined) {
    failAs(c, 35_111, "SendAt is required with ScheduleType: when to send the SMS.", "SendAt");
  }
  const read = readPhone(To, "texted");
  const isNumber = From === undefined || (/^\+?[0-9][0-9\s().-]{2,}$/u.test(From) && From.length <= FROM_MAX);
  return { phone: read.ok ? read.number : To, message, sendAt: SendAt, ...(!isNumber && { senderId: From }) };
}

/** What the message's replies show again, and where its states are posted. */
function termsOf(c: Ctx, account: string, body: Body): TwilioTerms {
  const { From: from, MessagingServiceSid: service, StatusCallback: address } = body;
  if (service !== undefined && !/^MG[0-9A-Za-z]{1,62}$/u.test(service)) {
    fail("invalid_request", "MessagingServiceSid must begin with MG; it is shown again, and has no other effect.", {
      param: "MessagingServiceSid",
    });
  }
  const refused = address ? refusedAddress(settings(c), address) : null;
  if (refused !== null) {
    fail("invalid_request", ADDRESS_FAULTS[refused].replace(/^url\b/u, "StatusCallback"), { param: "StatusCallback" });
  }
  // As it is requested, and so as its receiver sees it: that is what the signature covers.
  const callback = address && new URL(address).href;
  return { account, ...(from && { from }), ...(service && { service }), ...(callback && { callback }) };
}

function validityOf({ ValidityPeriod: given }: Body): number | undefined {
  if (given === undefined) return undefined;
  const seconds = /^[0-9]{1,6}$/u.test(given) ? Number(given) : 0;
  if (seconds >= 1 && seconds <= VALIDITY_SEC_MAX) return seconds * 1000;
  const error = `ValidityPeriod must be whole seconds from 1 to ${VALIDITY_SEC_MAX}.`;
  return fail("invalid_request", error, { param: "ValidityPeriod" });
}

const NAMES = { phone: "To", message: "Body", senderId: "From", sendAt: "SendAt" } as const;

/** `POST …/Messages.json`: one SMS. The reply is stored with an Idempotency-Key, so that a replay has the same one. */
export const twilioSend = (app: Api) => {
  app.use(`${TWILIO_BASE}/*`, inTwilioShape);
  app.post(
    `${TWILIO_BASE}/Accounts/:sid/Messages.json`,
    idempotencyToken,
    formToo(),
    authenticate("basic"),
    jsonBody(schema),
    async (c) => {
      const account = accountSidOf(c);
      const body = c.req.valid("json");
      refuseOthers(c, body);
      const fields = smsFields(c, body);
      const twilio = termsOf(c, account, body);
      const validityMs = validityOf(body);
      const { order, reply } = orderSms(fields, NAMES, await currentRateCard(c.env, c.executionCtx));
      const first = {
        account,
        to: order.recipients[0] ?? "",
        body: fields.message,
        created: twilioTime(Date.now()),
        status: order.sendAtMs === undefined ? "queued" : "scheduled",
        segments: String(countSegments(fields.message).segments),
        ...(twilio.from && { from: twilio.from }),
        ...(twilio.service && { service: twilio.service }),
      };
      const placed = await placeOrder(
        c,
        body,
        { ...order, validityMs, content: { ...order.content, twilio } },
        { ...reply, template: first },
      );
      // What the template had, at first or now again.
      const shown = placed.reply as typeof first & { status: "queued" | "scheduled" };
      const sid = messageSid(keyOf(c), placed.place);
      return c.json(twilioMessage({ from: undefined, service: undefined, ...shown, sid }), 201);
    },
  );
};

export const docs = {
  "ALL /2010-04-01/*": { leftOut: "It answers nothing: it gives failures their shape." },
  "POST /2010-04-01/Accounts/:sid/Messages.json": { leftOut: "It is Twilio's API; the guide says what is understood." },
} satisfies Docs;
