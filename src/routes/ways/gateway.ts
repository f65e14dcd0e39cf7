import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { plainReply } from "../../http/app.ts";
import type { Api, AppEnv, FailureAs } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { bodyUpTo, formToo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { FailureError } from "../../http/errors.ts";
import { apiKey } from "../../http/fields.ts";
import { query } from "../../http/query.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { timeText } from "../../sending/replies.ts";
import { slot } from "../../sending/reply-template.ts";
import { placeOrder } from "../../sending/send-order.ts";
import { NUMBER_FIELDS, SENDER_FIELDS, TEXT_FIELDS, understand } from "../../ways/gateway.ts";
import { toldStrangers } from "../../ways/strangers.ts";
import { orderSms } from "./one-sms.ts";

/** Any value, since other software decides; what the field is for. */
const any = (description: string, example?: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: "string", description, ...(example !== undefined && { examples: [example] }) });

const others = (names: readonly string[]) => `Also as ${names.map((name) => `\`${name}\``).join(", ")}.`;

const schema = z.looseObject({
  to: any(
    `The number: with \`+\` or \`00\`, or an Indian mobile of ten digits. ${others(NUMBER_FIELDS.slice(1))}`,
    "+919876543210",
  ),
  message: any(`The text, 1 to 160 characters. ${others(TEXT_FIELDS.slice(1))}`, "Your order 4711 is on its way."),
  senderId: any(
    `The sender; left out where it is a number, or no sender ID. ${others(SENDER_FIELDS.slice(1))}`,
    "SHOP",
  ),
  title: any("Stands before the text where both fit."),
  apiKey,
});

const inAddress = z.object({
  to: z
    .string()
    .optional()
    .meta({ description: "The number, where the body has none.", examples: ["9876543210"] }),
});

/** A webhook of Alertmanager has about a kilobyte for each alert. */
const BODY_BYTES_MAX = 512 * 1024;

const withoutAccount: FailureAs = (c, { code }) => {
  const error = toldStrangers(code);
  return error === null ? null : plainReply(c, { code, error });
};

const forStrangers: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set("failureAs", withoutAccount);
  await next();
};

/** `POST /v1/gateway`: one SMS from software that posts its own shape (contract §15). */
export const gateway = (app: Api) =>
  app.post(
    "/v1/gateway",
    forStrangers,
    bodyUpTo(BODY_BYTES_MAX),
    formToo(),
    authenticate("bearer", "basic", "x-api-key", "bare", "body"),
    query(inAddress),
    jsonBody(schema),
    async (c) => {
      const read = understand(c.req.valid("json"), c.req.valid("query").to, c.get("formBody") === "given");
      if (!read.ok) throw new FailureError(read.failure);
      const { ok: _, names, ...fields } = read;
      const { order, reply } = orderSms(fields, names, await currentRateCard(c.env, c.executionCtx));
      // Novu reads both; a replay has those of the first request.
      const template = { ...reply.template, id: slot("message_id"), date: timeText(Date.now()) };
      const placed = await placeOrder(c, fields, order, { ...reply, template });
      return c.json(placed.reply);
    },
  );

export const docs = {
  "POST /v1/gateway": {
    id: "gateway",
    tag: "Ways in",
    base: "sms",
    summary: "Send one SMS from software that posts its own fields",
    description:
      "For webhooks and settings pages whose fields cannot be changed; programs of your own are better served by `sendSms`. Also takes the webhooks of Alertmanager, Grafana, Uptime Kuma, Logto and ZITADEL. The first field with a number counts, and the first with a text.",
    reply: "Gateway",
    billable: true,
    matched: true,
  },
} satisfies Docs;
