import type { Context } from "hono";
import * as z from "zod";
import { searchFailure } from "../../activity/api-search.ts";
import { ACTIVITY_OPERATORS, pageBeyond, readPlace, showPlace, withKeys } from "../../activity/list.ts";
import { wireCsv, wireDetail, wireLines, wireMessage } from "../../activity/wire-message.ts";
import { readMessageId } from "../../crypto/ids.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { afterField, limitField, query } from "../../http/query.ts";
import type { MessageDetail } from "../../model/message-detail.ts";
import { parseSearch } from "../../search/parse.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf } from "../../sending/send-order.ts";

const q = z
  .string()
  .default("")
  .meta({
    description:
      "A search in the dashboard's language: words, and `to:` `kind:` `state:` `key:` `request:` `cost:` `after:` `before:` with a value; `-` before a term excludes it.",
    examples: ["state:failed after:7d"],
  });

const list = z.object({ q, limit: limitField, after: afterField(readPlace) });
const whole = z.object({ q });

/** The search that `q` asks for; ends the request for one that is not wholly understood. */
async function searchOf(c: Context<AppEnv>, asked: string) {
  const stub = accountOf(c);
  const parsed = parseSearch(asked, { nowMs: Date.now(), operators: ACTIVITY_OPERATORS });
  const namesKey = parsed.terms.some(({ on }) => on === "key");
  const { terms, faults } = withKeys(parsed, namesKey ? ((await stub.keys()) ?? []) : []);
  const [fault] = faults;
  if (fault) {
    const { error, hint } = searchFailure(fault, ACTIVITY_OPERATORS);
    fail("invalid_request", error, { param: "q", hint });
  }
  return { terms, source: { env: c.env, ref: keyOf(c), stub } };
}

const JSON_LINES = "application/x-ndjson";

/** `GET /v1/messages`: the account's messages, newest first (contract §13). */
const messageList = (app: Api) =>
  app.get("/v1/messages", accountApi, query(list), async (c) => {
    const asked = c.req.valid("query");
    const { terms, source } = await searchOf(c, asked.q);
    const { KEY_SECRET } = settings(c);
    c.header("Vary", "Accept");
    if (c.req.header("accept")?.includes(JSON_LINES)) {
      return c.body(wireLines(source, KEY_SECRET, terms), 200, { "Content-Type": JSON_LINES });
    }
    const { rows, next } = await pageBeyond(source, terms, asked.after ?? null, asked.limit);
    const data = rows.map((row) => wireMessage(KEY_SECRET, source.ref, row));
    return c.json({ success: true, data, has_more: next !== null, next: next && showPlace(next) });
  });

/** `GET /v1/messages.csv`: the same as a file, read only as fast as the client takes it. */
const messageFile = (app: Api) =>
  app.get("/v1/messages.csv", accountApi, query(whole), async (c) => {
    const { terms, source } = await searchOf(c, c.req.valid("query").q);
    return c.body(wireCsv(source, settings(c).KEY_SECRET, terms), 200, {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": 'attachment; filename="messages.csv"',
    });
  });

/** `GET /v1/messages/:id`: one message with its text, times and explanation. */
const oneMessage = (app: Api) =>
  app.get("/v1/messages/:id", accountApi, async (c) => {
    const config = settings(c);
    const key = keyOf(c);
    const place = readMessageId(config.KEY_SECRET, c.req.param("id"));
    const isOwn = place?.accountId === key.accountId && place.mode === key.mode;
    const found: MessageDetail | null = isOwn ? await accountOf(c).messageDetail(place) : null;
    if (!found) return fail("not_found", "There is no such message.");
    return c.json({ success: true, message: wireDetail(config, key, found) });
  });

/** `/v1/messages`: what became of what was sent. */
export const messagesApi = (app: Api) => {
  for (const add of [messageList, messageFile, oneMessage]) add(app);
};

export const docs = {
  "GET /v1/messages": {
    id: "listMessages",
    tag: "Messages",
    summary: "List messages and calls, newest first",
    description:
      "Each message is here as soon as its send was answered. A search that passes over very many messages may answer a page that is not full, or empty, with `has_more`: go on with `next`.\n\nWith `Accept: application/x-ndjson` all messages of the search are streamed, one JSON object a line; `limit` and `after` are ignored then.",
    reply: "MessageList",
    media: { "application/x-ndjson": "All messages of the search, one JSON object a line." },
    codes: ["unavailable"],
  },
  "GET /v1/messages.csv": {
    id: "downloadMessages",
    tag: "Messages",
    summary: "Download messages and calls as CSV",
    description:
      "All messages of the search as a stream, newest first, with the fields of the list; an empty cell is null.",
    media: { "text/csv": "One line for each message, with a line of names before them." },
  },
  "GET /v1/messages/:id": {
    id: "getMessage",
    tag: "Messages",
    summary: "Show one message or call",
    description:
      "With its text, its times, and one sentence that says what became of it. The text is null for a recording, and once it was deleted; the code of a live one-time password is masked.",
    reply: "Message",
    codes: ["not_found"],
    path: { id: "The id of the message or call, as `X-Message-Id` of its send has it." },
  },
} satisfies Docs;
