import type { Context } from "hono";
import * as z from "zod";
import { pageBeyond, readPlace, showPlace } from "../../activity/list.ts";
import { TWILIO_CURRENCY, twilioPath, wireTwilio } from "../../activity/wire-twilio.ts";
import { messageSid, readMessageSid } from "../../crypto/ids.ts";
import { keyOf, settings, showWindow } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { formToo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail, failBy } from "../../http/errors.ts";
import { optional } from "../../http/fields.ts";
import { query } from "../../http/query.ts";
import type { BalanceView, Refusal } from "../../model/command.ts";
import type { MessageDetail } from "../../model/message-detail.ts";
import { isCall } from "../../model/operations.ts";
import { coins } from "../../money/money.ts";
import type { Term } from "../../search/terms.ts";
import { admitted } from "../../sending/account-api.ts";
import { accountOf, refuse } from "../../sending/send-order.ts";
import { readPhone } from "../../text/phones.ts";
import { TWILIO_BASE, accountSidOf } from "./twilio-shape.ts";

// Questions in Twilio's form (contract §15): messages, one message, cancelling a scheduled one, the balance.

type Ctx = Context<AppEnv>;

const ACCOUNT = `${TWILIO_BASE}/Accounts/:sid`;

/** Messages of one page: as many as Twilio has that does not ask, and the most, since each is read with its text. */
const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 200;

const DAY_MS = 86_400_000;

/** A time of a filter, in ms: a date or a time in ISO 8601; a date is its whole day in UTC. */
const timeField = (name: string) =>
  z
    .string()
    .optional()
    .transform((text, ctx) => {
      if (text === undefined) return undefined;
      const ms = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/u.test(text) ? Date.parse(text) : NaN;
      if (!Number.isNaN(ms)) return ms;
      const message = `${name} must be a date such as 2026-11-23, or a time such as 2026-11-23T10:00:00Z.`;
      ctx.issues.push({ code: "custom", message, input: text });
      return z.NEVER;
    });

const list = z.object({
  To: z.string().optional(),
  From: z.string().optional(),
  DateSent: timeField("DateSent"),
  "DateSent<": timeField("DateSent<"),
  "DateSent>": timeField("DateSent>"),
  PageSize: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/u, "PageSize must be a whole number from 1 to 1000.")
    .optional(),
  Page: z
    .string()
    .regex(/^[0-9]{1,9}$/u, "Page must be a whole number.")
    .optional(),
  PageToken: z
    .string()
    .refine((text) => readPlace(text) !== null, "PageToken must be that of the page before.")
    .optional(),
});

type Listed = z.output<typeof list>;

/** The search that the filters ask for; a message counts for the day on which it was ordered. */
function termsOf(asked: Listed, to: string | undefined): Term[] {
  const terms: Term[] = [{ on: "kind", operations: ["sms", "sms_international", "otp"], not: false }];
  if (to !== undefined) terms.push({ on: "to", digits: to.replaceAll(/\D/gu, ""), not: false });
  const { DateSent: day } = asked;
  const after = day === undefined ? asked["DateSent>"] : day - (day % DAY_MS);
  const before = day === undefined ? asked["DateSent<"] : day - (day % DAY_MS) + DAY_MS;
  if (after !== undefined) terms.push({ on: "after", atMs: after, not: false });
  if (before !== undefined) terms.push({ on: "before", atMs: before, not: false });
  return terms;
}

/** `GET …/Messages.json`: the account's SMS, newest first. A page that filters by From may be shorter, or empty. */
const messageList = (app: Api) =>
  app.get(`${ACCOUNT}/Messages.json`, authenticate("basic"), admitted, query(list), async (c) => {
    const account = accountSidOf(c);
    const asked = c.req.valid("query");
    const key = keyOf(c);
    const stub = accountOf(c);
    const size = Math.min(Number(asked.PageSize ?? PAGE_SIZE), PAGE_SIZE_MAX);
    const at = Number(asked.Page ?? 0);
    const read = asked.To === undefined ? null : readPhone(asked.To, "texted");
    const to = read?.ok ? read.number : asked.To;
    const { rows, next } = await pageBeyond(
      { env: c.env, ref: key, stub },
      termsOf(asked, to),
      readPlace(asked.PageToken),
      size,
    );
    const wanted = rows.filter((row) => to === undefined || row.to === to);
    const details: (MessageDetail | null)[] = (await stub.messageDetails(wanted)) ?? [];
    const messages = details
      .flatMap((detail) => (detail ? [wireTwilio(settings(c), key, account, detail)] : []))
      .filter(({ from }) => asked.From === undefined || from === asked.From);
    const filters = Object.entries(c.req.query()).filter(([name]) => name !== "Page" && name !== "PageToken");
    const uriOf = (page: number, token?: string) => {
      const params = [...filters, ["Page", String(page)], ...(token === undefined ? [] : [["PageToken", token]])];
      return `${twilioPath(account)}.json?${new URLSearchParams(params).toString()}`;
    };
    return c.json({
      end: at * size + Math.max(0, messages.length - 1),
      first_page_uri: uriOf(0),
      next_page_uri: next && uriOf(at + 1, showPlace(next)),
      page: at,
      page_size: size,
      previous_page_uri: null,
      messages,
      start: at * size,
      uri: uriOf(at, asked.PageToken),
    });
  });

const NO_MESSAGE = "There is no such message.";

/** The message that the address names; ends the request where the account has none with this SID. */
async function messageOf(c: Ctx): Promise<MessageDetail> {
  const key = keyOf(c);
  const name = c.req.param("id") ?? "";
  const place = name.endsWith(".json") ? readMessageSid(name.slice(0, -5)) : null;
  const isOwn = place?.accountId === key.accountId && place.mode === key.mode;
  const found: MessageDetail | null = isOwn ? await accountOf(c).messageDetail(place) : null;
  if (!place || !found || isCall(found.message.operation)) return fail("not_found", NO_MESSAGE);
  // A SID with another secret than the message's was made up.
  const isReal = messageSid(key, found.message) === messageSid(key, place);
  return isReal ? found : fail("not_found", NO_MESSAGE);
}

/** `GET …/Messages/:id.json`: one SMS. */
const oneMessage = (app: Api) =>
  app.get(`${ACCOUNT}/Messages/:id`, authenticate("basic"), admitted, async (c) => {
    const account = accountSidOf(c);
    return c.json(wireTwilio(settings(c), keyOf(c), account, await messageOf(c)));
  });

const text = (name: string) => optional(z.string(`${name} must be a text, once.`));
const change = z.object({ Status: text("Status"), Body: text("Body") });

/** `POST …/Messages/:id.json` with `Status=canceled`: takes an SMS back that is not sent yet. */
const cancelMessage = (app: Api) =>
  app.post(`${ACCOUNT}/Messages/:id`, formToo(), authenticate("basic"), admitted, jsonBody(change), async (c) => {
    const account = accountSidOf(c);
    const { Status: status, Body: body } = c.req.valid("json");
    if (body !== undefined) fail("invalid_request", "A text that was sent cannot be changed.", { param: "Body" });
    if (status !== "canceled") fail("invalid_request", "Status can only be canceled.", { param: "Status" });
    const { message } = await messageOf(c);
    const taken = await accountOf(c).takeBack({ seq: message.seq, index: message.index });
    if (taken === null) return fail("not_found", NO_MESSAGE);
    if (taken === "too_late") return failBy("too_late", { id: "too_late" });
    return c.json(wireTwilio(settings(c), keyOf(c), account, await messageOf(c)));
  });

/** `GET …/Balance.json`: operation 4 in Twilio's form. */
const balance = (app: Api) =>
  app.get(`${ACCOUNT}/Balance.json`, authenticate("basic"), async (c) => {
    const account = accountSidOf(c);
    const { keyId, secretId } = keyOf(c);
    const asked = { keyId, secretId, requestId: c.get("requestId") };
    const result: BalanceView | Refusal | null = await accountOf(c).balance(asked);
    if (!result?.ok) return refuse(c, result);
    showWindow(c, result.window);
    return c.json({ account_sid: account, balance: String(coins(result.balance)), currency: TWILIO_CURRENCY });
  });

/** Twilio's questions; `twilioSend` stands before them, which has everything below answer in its shape. */
export const twilioMessages = (app: Api) => {
  for (const add of [messageList, oneMessage, cancelMessage, balance]) add(app);
};

const leftOut = "It is Twilio's API; the guide says what is understood.";

export const docs = {
  "GET /2010-04-01/Accounts/:sid/Messages.json": { leftOut },
  "GET /2010-04-01/Accounts/:sid/Messages/:id": { leftOut },
  "POST /2010-04-01/Accounts/:sid/Messages/:id": { leftOut },
  "GET /2010-04-01/Accounts/:sid/Balance.json": { leftOut },
} satisfies Docs;
