import type { Context } from "hono";
import * as z from "zod";
import { wireEvent } from "../../events/wire-event.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { afterField, limitField, numbersIn, query } from "../../http/query.ts";
import type { EventPage } from "../../model/event.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf, isRetryable } from "../../sending/send-order.ts";

// The account's events for programs (contract §14): a page at a time, waiting for the next, or over a WebSocket.

/** The longest that a request waits, in seconds: below what clients and what stands between take for a hang. */
const WAIT_SEC_MAX = 25;

const one = numbersIn(1);

/** `?after=` of the feed: the number of an event, or 0. */
const after = afterField((text) => one(text)?.[0] ?? null, "after must be the number of an event, or 0.").meta({
  type: "integer",
  minimum: 0,
  description: "The number of the last event that you have; 0 for all that are kept. Without it, the feed begins now.",
});

/** `?wait=` in seconds; it returns ms. */
const wait = z
  .string()
  .optional()
  .transform((text, ctx) => {
    const seconds = /^[0-9]{1,2}(?:\.[0-9]{1,3})?$/u.test(text ?? "0") ? Number(text ?? "0") : Infinity;
    if (seconds <= WAIT_SEC_MAX) return seconds * 1_000;
    ctx.issues.push({ code: "custom", message: `wait must be from 0 to ${WAIT_SEC_MAX} seconds.`, input: text });
    return z.NEVER;
  })
  .meta({
    type: "number",
    minimum: 0,
    maximum: WAIT_SEC_MAX,
    default: 0,
    description: "How long to wait for an event, in seconds, where there is none yet.",
  });

/** Ends the request where there is no page to be had. */
function refuse(page: Exclude<EventPage, { ok: true }>): never {
  switch (page.reason) {
    case "events_expired": {
      const { first } = page;
      const hint = `Go on with after=${first - 1}.`;
      return fail("events_expired", `The oldest event that is kept has the number ${first}.`, { first, hint });
    }
    case "no_such_event":
      return fail("invalid_request", `after is beyond the newest event, which has the number ${page.last}.`, {
        param: "after",
      });
  }
}

/** Whether the object was moved, replaced or reset, so that another call finds it again. */
const wasReset = (problem: unknown) =>
  isRetryable(problem) || (problem as { durableObjectReset?: boolean }).durableObjectReset === true;

/** The page, asked for once more where the object was reset while the request waited: reading changes nothing. */
async function askFor(c: Context<AppEnv>, from: number | null, limit: number, waitMs: number) {
  const untilMs = Date.now() + waitMs;
  try {
    return await accountOf(c).events(from, limit, waitMs);
  } catch (problem) {
    if (!wasReset(problem)) throw problem;
    return accountOf(c).events(from, limit, Math.max(0, untilMs - Date.now()));
  }
}

/** The socket of the account's object, for the key of the request. */
async function connect(c: Context<AppEnv>, from: number | undefined): Promise<Response> {
  const { keyId, secretId } = keyOf(c);
  const asked = new URLSearchParams({ key: String(keyId), secret: String(secretId) });
  if (from !== undefined) asked.set("after", String(from));
  const url = `https://account/events?${String(asked)}`;
  const reply = await accountOf(c).fetch(url, { headers: { Upgrade: "websocket" } });
  if (reply.status === 101) return reply;
  if (reply.status === 503) return fail("too_many", "This account has as many sockets open as it can have.");
  return refuse(await reply.json());
}

/** `/v1/events`: the events of the key's account and mode, oldest first. */
export const eventsApi = (app: Api) =>
  app
    .get("/v1/events", accountApi, query(z.object({ after, limit: limitField, wait })), async (c) => {
      const { after: from = null, limit, wait: waitMs } = c.req.valid("query");
      const page = await askFor(c, from, limit, waitMs);
      if (!page) throw new Error("an account that admitted a request is there");
      if (!page.ok) return refuse(page);
      const { events, last } = page;
      const next = events.at(-1)?.seq ?? from ?? last;
      const { KEY_SECRET: secret } = settings(c);
      const data = events.map((event) => wireEvent(secret, keyOf(c), event));
      return c.json({ success: true, data, has_more: next < last, next });
    })
    .get("/v1/events/live", accountApi, query(z.object({ after })), (c) => {
      const isSocket = c.req.method === "GET" && c.req.header("upgrade")?.toLowerCase() === "websocket";
      if (!isSocket) fail("invalid_request", "This address takes WebSockets.", { headers: { Upgrade: "websocket" } });
      return connect(c, c.req.valid("query").after);
    });

export const docs = {
  "GET /v1/events": {
    id: "listEvents",
    tag: "Events",
    summary: "Read events, oldest first, and wait for the next",
    description: `The first request begins the account's sequence; what happened before it has no events. Keep \`next\`, and send it
as \`after\`: each event comes once and in order. Events are kept for 30 days; \`after\` older than that is \`events_expired\`,
with the oldest that is kept in \`first\`.`,
    reply: "EventList",
    codes: ["events_expired"],
  },
  "GET /v1/events/live": {
    id: "streamEvents",
    tag: "Events",
    summary: "Get each event at once, over a WebSocket",
    description: `One JSON text for each event as soon as it has its number, what was missed after \`after\` first. An account and
mode has 16 of these at most. To read events without keeping a connection, use \`GET /v1/events\` with \`wait\`; to have them
posted to your server, use webhooks.`,
    reply: "Event",
    socket: {
      takes: {
        ping: "Answered with the text `pong`. Send it where something between you and the service ends idle connections.",
        "anything else": "Closes the connection with 1008: the feed only sends.",
      },
      closes: {
        4000: "The service asks you to connect again, with the last `seq`: after 4,000 events, and now and then.",
        1006: "The connection broke, as after a deployment of the service. Connect again, with the last `seq`.",
        1008: "The key ended, or you sent something. Connecting again with this key is of no use.",
      },
    },
    codes: ["events_expired", "too_many"],
  },
} satisfies Docs;
