import type { Context, MiddlewareHandler, Next } from "hono";
import * as z from "zod";
import { objectName } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { MinuteLimit } from "../../http/minute-limit.ts";
import { afterField, limitField, numbersIn, page, query } from "../../http/query.ts";
import { shown } from "../../http/shown.ts";
import { codeIn } from "../../inbox/code.ts";
import { LOCAL_INBOX, inboxName, inboxNamed, waitFor } from "../../inbox/landing.ts";
import { inboxSearch } from "../../inbox/search.ts";
import { WAIT_MS_MAX } from "../../inbox/types.ts";
import type { InboxFilter, InboxMessage, Since } from "../../inbox/types.ts";
import type { OwnDoor } from "../../model/command.ts";
import { recordingPath } from "../../recordings/signed-address.ts";
import { accountOf, refuse } from "../../sending/send-order.ts";
import { timeOf } from "../operator/operator.ts";

// The test inbox for programs: a test sends, waits, and reads the code. A key opens the messages of its account; on a
// deployed service only a test key does. A local service answers without a key too, with the messages of all accounts.

/** Requires a key, except on a local service, where a request may have none. Cookies are ignored. */
const reader: MiddlewareHandler<AppEnv> = shown(
  { keyIn: ["bearer"], ownApi: true },
  (c: Context<AppEnv>, next: Next) => {
    const bare = c.req.header("authorization") === undefined && c.req.header("x-api-key") === undefined;
    return bare && settings(c).ENVIRONMENT === "local" ? next() : authenticate("bearer")(c, next);
  },
);

/** Requests without a key that a local service answers per minute: enough for several suites of tests at once. */
export const keylessReads = new MinuteLimit(6_000);

/** The inbox that the request opens, and the account whose messages it may read; null means all. */
async function openedBy(c: Context<AppEnv>): Promise<{ name: string; account: string | null }> {
  const key = c.get("key");
  // Only a local service gets here without a key: elsewhere `reader` requires one.
  if (!key) {
    const retryAfterSec = keylessReads.admit(Date.now());
    if (retryAfterSec > 0) refuse(c, { ok: false, reason: "rate_limited", limit: keylessReads.max, retryAfterSec });
    return { name: LOCAL_INBOX, account: null };
  }
  // An invalid key is refused as such, before its permissions are checked.
  const door: OwnDoor | null = await accountOf(c).admitOwn(key.keyId, false, key.secretId);
  if (!door?.ok) return refuse(c, door);
  const name = inboxName(settings(c), key);
  if (name === null) return fail("permission_denied", "The test inbox has what test keys send; use a test key.");
  return { name, account: objectName(key) };
}

/** `?to=` as E.164. Ten digits are an Indian number; a leading space is a plus that the query decoded. */
const to = z
  .string()
  .optional()
  .transform((text, ctx): string | undefined => {
    if (text === undefined || text === "") return undefined;
    const [, plus = "", digits = ""] = /^([+ ]?)([0-9]{7,15})$/u.exec(text) ?? [];
    if (digits !== "") return plus === "" && digits.length === 10 ? `+91${digits}` : `+${digits}`;
    ctx.issues.push({ code: "custom", message: "to must be a whole number, such as 9876543210.", input: text });
    return z.NEVER;
  })
  .meta({ description: "Messages to this number: E.164, or ten digits of an Indian one.", examples: ["9876543210"] });

const MS = /^[0-9]{12,14}$/u;
const ID = /^(?:msg|call)_[0-9A-Za-z]+$/u;
const ISO = z.iso.datetime({ offset: true, local: true });
const SINCE = "since must be an ISO time, milliseconds since 1970, or the id of a message.";

/** `?since=`: a time, or the id of the last message that the caller has. */
const since = z
  .string()
  .optional()
  .transform((text, ctx): Since | undefined => {
    if (text === undefined || text === "") return undefined;
    if (MS.test(text)) return { at: Number(text) };
    if (ID.test(text)) return { after: text };
    // A plus in a query is decoded as a space.
    const time = ISO.safeParse(text.replace(" ", "+"));
    if (time.success) return { at: Date.parse(time.data) };
    ctx.issues.push({ code: "custom", message: SINCE, input: text });
    return z.NEVER;
  })
  .meta({ description: "Messages after this ISO time, or after the message with this id." });

/** `?q=`; what it means depends on the time of the request, so that `searchIn` reads it. */
const q = z
  .string()
  .optional()
  .meta({ description: "A search: words, and `to:`, `kind:`, `text:`, `request:`, `before:`, `after:` with a value." });

const filterFields = { q, to, since };

function searchIn(c: Context<AppEnv>): string | undefined {
  const q = c.req.query("q");
  const [fault] = inboxSearch(q ?? "", Date.now()).faults;
  if (!fault) return q;
  return fail("invalid_request", "q is not understood.", {
    param: "q",
    hint: "Write words, and to: kind: text: request: before: after: with a value; - before a term excludes it.",
  });
}

/** The filter of a request, from its validated parameters. */
function filterIn(
  c: Context<AppEnv>,
  account: string | null,
  { to, since }: Pick<InboxFilter, "to" | "since">,
): InboxFilter {
  return { account, q: searchIn(c), to, since };
}

function unknownSince(): never {
  return fail("invalid_request", "since names a message that is not in the inbox.", { param: "since" });
}

function missing(): never {
  return fail("not_found", "There is no such message in the test inbox.");
}

const WAIT = { usualSec: 30, maxSec: WAIT_MS_MAX / 1000 };

/** `?timeout=` in seconds; it returns ms. */
const timeout = z
  .string()
  .default(String(WAIT.usualSec))
  .transform((text, ctx) => {
    const seconds = /^[0-9]{1,2}(?:\.[0-9]{1,3})?$/u.test(text) ? Number(text) : Number.NaN;
    if (seconds <= WAIT.maxSec) return seconds * 1000;
    const message = `timeout must be a number of seconds from 0 to ${WAIT.maxSec}.`;
    ctx.issues.push({ code: "custom", message, input: text });
    return z.NEVER;
  })
  .meta({
    type: "number",
    description: "How many seconds to wait.",
    minimum: 0,
    maximum: WAIT.maxSec,
    default: WAIT.usualSec,
    examples: [10],
  });

const listed = query(z.object({ ...filterFields, limit: limitField, after: afterField(numbersIn(1)) }));
const waited = query(z.object({ timeout, ...filterFields }));
const filtered = query(z.object(filterFields));

/** A message as the API shows it. */
function wire(c: Context<AppEnv>, message: InboxMessage) {
  const config = settings(c);
  const { ref, requestId, to, operation, content, text, at } = message;
  const path = recordingPath(config, content);
  return {
    id: ref,
    request_id: requestId,
    to,
    operation,
    sender: content.sender ?? null,
    text,
    code: codeIn(operation, text),
    flash: content.flash ?? false,
    audio_url: path && config.CONSOLE_URL + path,
    at: timeOf(at),
  };
}

/** Without `since`, a wait also returns messages this much older than it: a test sends first and then waits. */
const LOOK_BACK_MS = 10_000;

/** `/v1/test/inbox`: lists, waits for and deletes the messages that the simulator caught. */
export const inboxApi = (app: Api) =>
  app
    .get("/v1/test/inbox", reader, listed, async (c) => {
      const { limit, after: [below = 0] = [], ...fields } = c.req.valid("query");
      const { name, account } = await openedBy(c);
      const range = { below: below === 0 ? undefined : below };
      const found = await inboxNamed(c.env, name).list(filterIn(c, account, fields), range, limit + 1);
      const { rows, ...more } = page(found ?? unknownSince(), limit, ({ seq }: InboxMessage) => String(seq));
      return c.json({ success: true, data: rows.map((message) => wire(c, message)), ...more });
    })
    .get("/v1/test/inbox/wait", reader, waited, async (c) => {
      const { timeout: timeoutMs, ...fields } = c.req.valid("query");
      const { name, account } = await openedBy(c);
      const filter = filterIn(c, account, fields);
      const since = filter.since ?? { at: Date.now() - LOOK_BACK_MS };
      const asked = { ...filter, since, newest: filter.since === undefined };
      const found = await waitFor(c.env, name, asked, timeoutMs);
      if (found.ok) return c.json({ success: true, message: found.message && wire(c, found.message) });
      if (found.reason === "unknown_message") return unknownSince();
      return fail("unavailable", "Too many requests wait at this inbox; repeat this one in a moment.", {
        headers: { "Retry-After": "1" },
      });
    })
    .delete("/v1/test/inbox", reader, filtered, async (c) => {
      const { name, account } = await openedBy(c);
      const filter = filterIn(c, account, c.req.valid("query"));
      return c.json({ success: true, deleted: await inboxNamed(c.env, name).remove(filter) });
    })
    .get("/v1/test/inbox/:id", reader, async (c) => {
      const { name, account } = await openedBy(c);
      const message = await inboxNamed(c.env, name).find(account, c.req.param("id"));
      return c.json({ success: true, message: wire(c, message ?? missing()) });
    })
    .delete("/v1/test/inbox/:id", reader, async (c) => {
      const { name, account } = await openedBy(c);
      if (!(await inboxNamed(c.env, name).removeOne(account, c.req.param("id")))) missing();
      return c.json({ success: true, deleted: 1 });
    });

const path = { id: "The message's id." };

export const docs = {
  "GET /v1/test/inbox": {
    id: "listTestInbox",
    tag: "Test inbox",
    summary: "List what the simulator caught, newest first",
    description: "Needs a test key.",
    reply: "CaughtMessageList",
  },
  "GET /v1/test/inbox/wait": {
    id: "waitInTestInbox",
    tag: "Test inbox",
    summary: "Wait for a message",
    description:
      "Answers with the first message that fits; without `since`, also with one of the last 10 s. Null when none came.",
    reply: "CaughtMessageOrNone",
  },
  "DELETE /v1/test/inbox": {
    id: "clearTestInbox",
    tag: "Test inbox",
    summary: "Delete the messages that fit",
    reply: "Deleted",
  },
  "GET /v1/test/inbox/:id": {
    id: "getTestMessage",
    tag: "Test inbox",
    summary: "Show one message",
    reply: "CaughtMessage",
    path,
  },
  "DELETE /v1/test/inbox/:id": {
    id: "deleteTestMessage",
    tag: "Test inbox",
    summary: "Delete one message",
    reply: "Deleted",
    path,
  },
} satisfies Docs;
