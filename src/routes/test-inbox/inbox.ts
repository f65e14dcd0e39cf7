import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { objectName } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { fail } from "../../http/errors.ts";
import { MinuteLimit } from "../../http/minute-limit.ts";
import { page } from "../../http/query.ts";
import { codeIn } from "../../inbox/code.ts";
import { LOCAL_INBOX, inboxName, inboxNamed, waitFor } from "../../inbox/landing.ts";
import { inboxSearch } from "../../inbox/search.ts";
import { WAIT_MS_MAX } from "../../inbox/types.ts";
import type { InboxFilter, InboxMessage, Since } from "../../inbox/types.ts";
import type { OwnDoor } from "../../model/command.ts";
import { recordingPath } from "../../recordings/signed-address.ts";
import { accountOf, refuse } from "../../sending/send-order.ts";
import { pageAfter, pageLimit, timeOf } from "../operator/operator.ts";

// The test inbox for programs: a test sends, waits, and reads the code. A key opens the messages of its account; on a
// deployed service only a test key does. A local service answers without a key too, with the messages of all accounts.

/** Requires a key, except on a local service, where a request may have none. Cookies are ignored. */
const reader: MiddlewareHandler<AppEnv> = (c, next) => {
  const bare = c.req.header("authorization") === undefined && c.req.header("x-api-key") === undefined;
  return bare && settings(c).ENVIRONMENT === "local" ? next() : authenticate("bearer")(c, next);
};

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
function recipientIn(c: Context<AppEnv>): string | undefined {
  const text = c.req.query("to");
  if (text === undefined || text === "") return undefined;
  const [, plus = "", digits = ""] = /^([+ ]?)([0-9]{7,15})$/u.exec(text) ?? [];
  if (digits === "") fail("invalid_request", "to must be a whole number, such as 9876543210.", { param: "to" });
  return plus === "" && digits.length === 10 ? `+91${digits}` : `+${digits}`;
}

const MS = /^[0-9]{12,14}$/u;
const ID = /^(?:msg|call)_[0-9A-Za-z]+$/u;
const ISO = z.iso.datetime({ offset: true, local: true });

/** `?since=`: a time, or the id of the last message that the caller has. */
function sinceIn(c: Context<AppEnv>): Since | undefined {
  const text = c.req.query("since");
  if (text === undefined || text === "") return undefined;
  if (MS.test(text)) return { at: Number(text) };
  if (ID.test(text)) return { after: text };
  // A plus in a query is decoded as a space.
  const time = ISO.safeParse(text.replace(" ", "+"));
  if (time.success) return { at: Date.parse(time.data) };
  return fail("invalid_request", "since must be an ISO time, milliseconds since 1970, or the id of a message.", {
    param: "since",
  });
}

function searchIn(c: Context<AppEnv>): string | undefined {
  const q = c.req.query("q");
  const [fault] = inboxSearch(q ?? "", Date.now()).faults;
  if (!fault) return q;
  return fail("invalid_request", "q is not understood.", {
    param: "q",
    hint: "Write words, and to: kind: text: request: before: after: with a value; - before a term excludes it.",
  });
}

function filterIn(c: Context<AppEnv>, account: string | null): InboxFilter {
  return { account, q: searchIn(c), to: recipientIn(c), since: sinceIn(c) };
}

function unknownSince(): never {
  return fail("invalid_request", "since names a message that is not in the inbox.", { param: "since" });
}

function missing(): never {
  return fail("not_found", "There is no such message in the test inbox.");
}

const WAIT = { usualSec: 30, maxSec: WAIT_MS_MAX / 1000 };

function timeoutIn(c: Context<AppEnv>): number {
  const text = c.req.query("timeout") ?? String(WAIT.usualSec);
  const seconds = /^[0-9]{1,2}(?:\.[0-9]{1,3})?$/u.test(text) ? Number(text) : Number.NaN;
  if (seconds <= WAIT.maxSec) return seconds * 1000;
  return fail("invalid_request", `timeout must be a number of seconds from 0 to ${WAIT.maxSec}.`, { param: "timeout" });
}

/** A message as the API shows it. */
function shown(c: Context<AppEnv>, message: InboxMessage) {
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
    .get("/v1/test/inbox", reader, async (c) => {
      const { name, account } = await openedBy(c);
      const limit = pageLimit(c);
      const [below = 0] = pageAfter(c, 1);
      const range = { below: below === 0 ? undefined : below };
      const found = await inboxNamed(c.env, name).list(filterIn(c, account), range, limit + 1);
      const { rows, ...more } = page(found ?? unknownSince(), limit, ({ seq }: InboxMessage) => String(seq));
      return c.json({ success: true, data: rows.map((message) => shown(c, message)), ...more });
    })
    .get("/v1/test/inbox/wait", reader, async (c) => {
      const timeoutMs = timeoutIn(c);
      const { name, account } = await openedBy(c);
      const filter = filterIn(c, account);
      const since = filter.since ?? { at: Date.now() - LOOK_BACK_MS };
      const asked = { ...filter, since, newest: filter.since === undefined };
      const waited = await waitFor(c.env, name, asked, timeoutMs);
      if (waited.ok) return c.json({ success: true, message: waited.message && shown(c, waited.message) });
      if (waited.reason === "unknown_message") return unknownSince();
      return fail("unavailable", "Too many requests wait at this inbox; repeat this one in a moment.", {
        headers: { "Retry-After": "1" },
      });
    })
    .delete("/v1/test/inbox", reader, async (c) => {
      const { name, account } = await openedBy(c);
      return c.json({ success: true, deleted: await inboxNamed(c.env, name).remove(filterIn(c, account)) });
    })
    .get("/v1/test/inbox/:id", reader, async (c) => {
      const { name, account } = await openedBy(c);
      const message = await inboxNamed(c.env, name).find(account, c.req.param("id"));
      return c.json({ success: true, message: shown(c, message ?? missing()) });
    })
    .delete("/v1/test/inbox/:id", reader, async (c) => {
      const { name, account } = await openedBy(c);
      if (!(await inboxNamed(c.env, name).removeOne(account, c.req.param("id")))) missing();
      return c.json({ success: true, deleted: 1 });
    });
