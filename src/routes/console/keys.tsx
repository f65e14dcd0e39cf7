import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { audit } from "../../audit/audit.ts";
import {
  expireKeys,
  isUsable,
  keyOfAccount,
  keysOfAccount,
  makeKey,
  revealKey,
  revokeKey,
  rotateKey,
} from "../../accounts/keys.ts";
import type { OwnKey } from "../../accounts/keys.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import {
  at,
  freshlySignedIn,
  page,
  personOf,
  refOf,
  show,
  showPart,
  signedIn,
  viewOf,
  wantsJson,
} from "../../console/page.tsx";
import { readKeyId, showKeyId } from "../../crypto/api-key.ts";
import { FIRST_ID } from "../../crypto/secrets.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { invalidRequest } from "../../http/body.ts";
import { fail } from "../../http/errors.ts";
import { brandName } from "../../http/fields.ts";
import type { Rotation } from "../../model/account.ts";
import type { Mode } from "../../model/ref.ts";
import { hookShown } from "../../sending/hook-shown.ts";
import { INDIA_OFFSET_MS } from "../../text/india.ts";
import { LENGTH_MAX } from "../../text/lengths.ts";
import { oneLine } from "../../text/one-line.ts";
import { ExpireKeys } from "../../ui/keys-expire.tsx";
import { HookShown } from "../../ui/webhooks/hook.tsx";
import { KeyShown } from "../../ui/key-shown.tsx";
import { KeysPage, RevokeKey, RotateKey } from "../../ui/keys.tsx";
import type { Unsaved } from "../../ui/parts.tsx";
import { failureText } from "../../ui/words/failures.ts";
import { hookWords } from "../../ui/words/hooks.ts";
import { keyWords } from "../../ui/words/keys.ts";

const wordsOf = (c: Context<AppEnv>) => keyWords[viewOf(c).lang];
const secretOf = (c: Context<AppEnv>) => settings(c).KEY_SECRET;

const missing = () => fail("not_found", "There is no such key.");

const keyInPath = (c: Context<AppEnv>): Promise<OwnKey> => usableKey(c, c.req.param("keyId") ?? "");

/** The usable key with this id. 404 alike for one that is unknown, ended, another account's or the console's own. */
async function usableKey(c: Context<AppEnv>, id: string): Promise<OwnKey> {
  const keyId = readKeyId(id) ?? missing();
  const key = await keyOfAccount(c.env, secretOf(c), personOf(c).accountId, keyId, Date.now());
  return key && isUsable(key) ? key : missing();
}

async function list(
  c: Context<AppEnv>,
  more: { done?: string | undefined; refused?: Refused & Unsaved } = {},
): Promise<Response> {
  const now = Date.now();
  const { refused, done } = more;
  const status = refusedStatus(c, refused);
  const ring = await keysOfAccount(c.env, secretOf(c), refOf(c), now);
  return show(c, <KeysPage ring={ring} now={now} done={done} unsaved={refused} />, {
    title: wordsOf(c).title,
    active: "keys",
    status,
  });
}

/** Midnight in India at the beginning of a day such as 2026-11-22, in ms; null for anything else. */
function indianDay(text: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? null : ms - INDIA_OFFSET_MS;
}

/** The usable keys of both modes that were made before a day or, without one, with an older secret. */
async function olderKeys(c: Context<AppEnv>, before: string): Promise<{ keys: OwnKey[]; beforeMs: number | null }> {
  const beforeMs = indianDay(before);
  const { accountId } = personOf(c);
  const ringOf = (mode: Mode) => keysOfAccount(c.env, secretOf(c), { accountId, mode }, Date.now());
  const [live, test] = await Promise.all([ringOf("live"), ringOf("test")]);
  const isAsked = (key: OwnKey) => (beforeMs === null ? key.isOlder : key.createdAt < beforeMs);
  return { keys: [...live.keys, ...test.keys].filter((key) => isUsable(key) && isAsked(key)), beforeMs };
}

const asPage = (c: Context<AppEnv>, title: string, content: Child) => show(c, content, { title, active: "keys" });

/** Answers with the content of the drawer if the script asked, else with a whole page. */
function asked(c: Context<AppEnv>, title: string, content: (part: boolean) => Child): Response {
  const part = c.req.header("x-part") !== undefined;
  return part ? showPart(c, content(true)) : asPage(c, title, content(false));
}

async function rotate(c: Context<AppEnv>): Promise<Response> {
  const t = wordsOf(c);
  const { overlap = "", once } = await formOf(c);
  if (!Object.hasOwn(t.overlaps, overlap)) fail("invalid_request", "Choose when the old key stops.");
  const { accountId } = personOf(c);
  const keyId = readKeyId(c.req.param("keyId") ?? "") ?? missing();
  // The key may have been ended by this same form, sent before: the account then recognizes the rotation.
  const old = await keyOfAccount(c.env, secretOf(c), accountId, keyId, Date.now());
  if (!old) return missing();
  const command = { keyId, overlapMs: Number(overlap) * 1000, once: once ?? null };
  const rotated: Rotation = await rotateKey(c.env, secretOf(c), accountId, command);
  if (!rotated.ok) {
    if (rotated.reason === "unknown") return missing();
    return fail("permission_denied", rotated.reason === "too_many" ? t.tooMany : t.notActive, { forReader: true });
  }
  const subject = showKeyId(rotated.keyId);
  await audit(c, { action: "key.rotated", subject, details: { mode: old.mode, replaces: old.id }, once: subject });
  const apiKey = revealKey(secretOf(c), accountId, { mode: old.mode, ...rotated });
  const shown = { apiKey, isNew: true, oldEndsAt: rotated.oldExpiresAt, now: Date.now() };
  return asPage(c, t.newTitle, <KeyShown {...shown} />);
}

/** Makes the hook of a key: shows what Supabase needs. */
async function makeHook(c: Context<AppEnv>): Promise<Response> {
  const { key = "", brand = "" } = await formOf(c);
  const of = await usableKey(c, key);
  const read = brandName.safeParse(oneLine(brand) || null);
  if (!read.success) {
    const { error } = failureText(invalidRequest(read.error), viewOf(c).lang);
    return list(c, { refused: { code: "invalid_request", error, field: "brand", typed: { key, brand } } });
  }
  await audit(c, { action: "hook.made", subject: of.id, details: { mode: of.mode, kind: "supabase" } });
  const { accountId } = personOf(c);
  const from = { accountId, mode: of.mode, keyId: of.keyId, secretId: of.secretId ?? FIRST_ID };
  const shown = hookShown(settings(c), { kind: "supabase", key: from, brand: read.data ?? null });
  return asPage(c, hookWords[viewOf(c).lang].shownTitle, <HookShown {...shown} />);
}

/** `/keys`: lists the keys of the chosen mode; makes, shows, rotates and revokes a key. */
export const keysPages = (app: Api) => {
  app.get("/keys", page, signedIn, (c) => list(c, { done: c.req.query("done") }));

  app.post("/keys", page, signedIn, freshlySignedIn, async (c) => {
    const { name = "", once } = await formOf(c);
    const trimmed = oneLine(name);
    if (trimmed === "" || trimmed.length > LENGTH_MAX.name) {
      return list(c, {
        refused: { code: "invalid_request", error: wordsOf(c).nameMissing, field: "name", typed: { name } },
      });
    }
    const ref = refOf(c);
    const made = await makeKey(c.env, secretOf(c), ref, { name: trimmed, once: once ?? null });
    if (made === null) return fail("permission_denied", wordsOf(c).tooMany, { forReader: true });
    const subject = showKeyId(made.keyId);
    await audit(c, { action: "key.made", subject, details: { mode: ref.mode, name: trimmed }, once: subject });
    const apiKey = revealKey(secretOf(c), ref.accountId, made);
    return asPage(c, wordsOf(c).newTitle, <KeyShown apiKey={apiKey} isNew now={Date.now()} />);
  });

  app.get("/keys/expire", page, signedIn, freshlySignedIn, async (c) => {
    const before = c.req.query("before") ?? "";
    const { keys, beforeMs } = await olderKeys(c, before);
    return asPage(
      c,
      wordsOf(c).expireTitle,
      <ExpireKeys keys={keys} before={beforeMs === null ? null : { text: before, beginsMs: beforeMs }} />,
    );
  });

  app.post("/keys/expire", page, signedIn, freshlySignedIn, async (c) => {
    const { before = "" } = await formOf(c);
    const beforeMs = indianDay(before);
    if (beforeMs === null && before !== "") fail("invalid_request", wordsOf(c).expireBefore, { forReader: true });
    const which = beforeMs === null ? {} : { madeBefore: beforeMs };
    const ended = (await expireKeys(c.env, secretOf(c), personOf(c).accountId, which)) ?? [];
    await audit(c, { action: "keys.expired", details: { keys: ended.length, ...(beforeMs !== null && { before }) } });
    return c.redirect(`${at(c, "/keys")}?done=expired`, 303);
  });

  app.post("/keys/hook", page, signedIn, freshlySignedIn, (c) => makeHook(c));

  app.post("/keys/:keyId/show", page, signedIn, freshlySignedIn, async (c) => {
    const key = await keyInPath(c);
    await audit(c, { action: "key.shown", subject: key.id, details: { mode: key.mode, name: key.name } });
    const apiKey = revealKey(secretOf(c), personOf(c).accountId, key);
    if (wantsJson(c)) return c.json({ success: true, key: apiKey });
    return asPage(c, wordsOf(c).shownTitle, <KeyShown apiKey={apiKey} isNew={false} now={Date.now()} />);
  });

  app.get("/keys/:keyId/rotate", page, signedIn, freshlySignedIn, async (c) => {
    const key = await keyInPath(c);
    const title = wordsOf(c).rotateTitle;
    return asked(c, title, (part) => <RotateKey of={key} now={Date.now()} part={part} />);
  });

  app.post("/keys/:keyId/rotate", page, signedIn, freshlySignedIn, (c) => rotate(c));

  app.get("/keys/:keyId/revoke", page, signedIn, freshlySignedIn, async (c) => {
    const key = await keyInPath(c);
    const title = wordsOf(c).revokeTitle;
    return asked(c, title, (part) => <RevokeKey of={key} now={Date.now()} part={part} />);
  });

  app.post("/keys/:keyId/revoke", page, signedIn, freshlySignedIn, async (c) => {
    const keyId = readKeyId(c.req.param("keyId") ?? "") ?? missing();
    const { accountId } = personOf(c);
    // A key that is already revoked stays revoked: the same form sent twice gets the same reply.
    if (!(await keyOfAccount(c.env, secretOf(c), accountId, keyId, Date.now()))) missing();
    await revokeKey(c.env, accountId, keyId);
    await audit(c, { action: "key.revoked", subject: showKeyId(keyId), once: showKeyId(keyId) });
    return c.redirect(`${at(c, "/keys")}?done=revoked`, 303);
  });
};
