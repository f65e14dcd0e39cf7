import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { modeOfKeyId, newKeyId, readKeyId, showKey, showKeyId } from "../../crypto/api-key.ts";
import { FIRST_ID } from "../../crypto/secrets.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { optional } from "../../http/fields.ts";
import { idempotencyKey } from "../../http/idempotency.ts";
import type { KeyMade, KeyView, Rotation } from "../../model/account.ts";
import type { AccountRef } from "../../model/ref.ts";
import { bothOf, objectOf } from "../../objects.ts";
import {
  accountInPath,
  keySecret,
  missing,
  nameField,
  onceOf,
  operator,
  otherRequest,
  showRepeated,
  timeOf,
} from "./operator.ts";

/** The longest time that a rotated key stays valid beside its successor. */
const OVERLAP_SEC_MAX = 30 * 24 * 3_600;

const making = z.object({
  name: optional(nameField("name")),
  mode: optional(z.enum(["live", "test"], "mode must be live or test.").meta({ default: "live", examples: ["test"] })),
});

const OVERLAP = `overlapSeconds must be a whole number from 0 to ${OVERLAP_SEC_MAX}.`;
const rotation = z.object({
  overlapSeconds: z
    .number(OVERLAP)
    .int(OVERLAP)
    .min(0, OVERLAP)
    .max(OVERLAP_SEC_MAX, OVERLAP)
    .meta({ description: "How long the old key stays valid.", examples: [3_600] }),
});

const TOO_MANY = "This account has 1,000 keys, which is the most.";

/** A key on the wire (contract §10). */
export function keyRow(key: KeyView) {
  return {
    key_id: showKeyId(key.keyId),
    mode: key.mode,
    name: key.name,
    secret_id: key.secretId ?? FIRST_ID,
    created_at: timeOf(key.createdAt),
    last_used_at: timeOf(key.lastUsedAt),
    expires_at: timeOf(key.expiresAt),
    revoked_at: timeOf(key.revokedAt),
  };
}

/** A key as it was given out, on the reply to a repeated request too; null where its secret is not listed any more. */
function givenKey(
  c: Context<AppEnv>,
  ref: AccountRef,
  { keyId, secretId = FIRST_ID }: Pick<KeyView, "keyId" | "secretId">,
) {
  return keySecret(c).withId(secretId) ? showKey(keySecret(c), { ...ref, keyId, secretId }) : null;
}

/** The key in the path and the object that holds its row: the key id says which. */
function keyInPath(c: Context<AppEnv>) {
  const { accountId } = accountInPath(c);
  const keyId = readKeyId(c.req.param("keyId") ?? "") ?? missing("key");
  const ref = { accountId, mode: modeOfKeyId(keyId) };
  return { ref, keyId, stub: objectOf(c.env, ref) };
}

/** The seed of a new key id, so that a repeated Idempotency-Key gets the same id; null without the header. */
function seedOf(c: Context<AppEnv>, what: string): string | null {
  const key = idempotencyKey(c);
  return key === null ? null : `${what}\0${key}`;
}

/** Refuses a new key if its Idempotency-Key already made a key of the other mode, which the other object holds. */
async function refuseOtherMode(c: Context<AppEnv>, { accountId, mode }: AccountRef): Promise<void> {
  const other = { accountId, mode: mode === "live" ? ("test" as const) : ("live" as const) };
  const keyId = newKeyId(keySecret(c), other.mode, seedOf(c, accountId));
  const keys: KeyView[] | null = await objectOf(c.env, other).keys();
  if (keys?.some((key) => key.keyId === keyId)) otherRequest();
}

/** `/operator/accounts/:id/keys` (contract §10). */
export const operatorKeys = (app: Api) => {
  app.get("/operator/accounts/:id/keys", operator("read"), async (c) => {
    const { accountId } = accountInPath(c);
    const { live, test } = bothOf(c.env, accountId);
    const [own, play]: (KeyView[] | null)[] = await Promise.all([live.keys(), test.keys()]);
    return c.json({ success: true, data: [...(own ?? missing("account")), ...(play ?? [])].map(keyRow) });
  });

  app.post("/operator/accounts/:id/keys", operator("makeKeys"), jsonBody(making), async (c) => {
    const { accountId } = accountInPath(c);
    const body = c.req.valid("json");
    const { name, mode = "live" } = body;
    const ref = { accountId, mode };
    const fresh = newKeyId(keySecret(c), mode, seedOf(c, accountId));
    const stub = objectOf(c.env, ref);
    const { once } = onceOf(c, body);
    if (once) await refuseOtherMode(c, ref);
    const { id: secretId } = keySecret(c).current;
    const made: KeyMade = (await stub.makeKey(fresh, name ?? "key", once, secretId)) ?? missing("account");
    if (!made.ok) {
      return made.reason === "too_many" ? fail("permission_denied", TOO_MANY) : otherRequest();
    }
    const { keyId = fresh } = made;
    const subject = showKeyId(keyId);
    await audit(c, { action: "key.made", accountId, subject, details: { mode, name: name ?? "key" }, once: subject });
    showRepeated(c, made.repeated);
    const keys: KeyView[] = (await stub.keys()) ?? [];
    const row = keys.find((key) => key.keyId === keyId) ?? missing("key");
    // The row as it was when the key was made, so that a repeated request gets the same bytes.
    const asMade = { ...row, lastUsedAt: null, expiresAt: null, revokedAt: null };
    return c.json({ success: true, ...keyRow(asMade), api_key: givenKey(c, ref, row) });
  });

  app.delete("/operator/accounts/:id/keys/:keyId", operator("revokeKeys"), async (c) => {
    const { ref, stub, keyId } = keyInPath(c);
    if (!(await stub.revokeKey(keyId))) missing("key");
    await audit(c, {
      action: "key.revoked",
      accountId: ref.accountId,
      subject: showKeyId(keyId),
      details: { mode: ref.mode },
    });
    return c.json({ success: true, key_id: showKeyId(keyId) });
  });

  app.post("/operator/accounts/:id/keys/:keyId/rotate", operator("makeKeys"), jsonBody(rotation), async (c) => {
    const { ref, stub, keyId } = keyInPath(c);
    const newId = newKeyId(keySecret(c), ref.mode, seedOf(c, `${ref.accountId}\0${keyId}`));
    const body = c.req.valid("json");
    const { once } = onceOf(c, body);
    const rotated: Rotation =
      (await stub.rotateKey(keyId, newId, body.overlapSeconds * 1000, once, keySecret(c).current.id)) ??
      missing("account");
    if (!rotated.ok) {
      if (rotated.reason === "idempotency_mismatch") return otherRequest();
      if (rotated.reason === "unknown") return missing("key");
      if (rotated.reason === "too_many") return fail("permission_denied", TOO_MANY);
      return fail("permission_denied", "This key is revoked or has expired; make a new one.");
    }
    const subject = showKeyId(rotated.keyId);
    const details = { mode: ref.mode, replaces: showKeyId(keyId) };
    await audit(c, { action: "key.rotated", accountId: ref.accountId, subject, details, once: subject });
    showRepeated(c, rotated.repeated);
    return c.json({
      success: true,
      key_id: showKeyId(rotated.keyId),
      api_key: givenKey(c, ref, rotated),
      replaces: showKeyId(keyId),
      old_expires_at: timeOf(rotated.oldExpiresAt),
    });
  });
};

const path = { id: "The account's id." };
const pathOfKey = { id: "The account's id.", keyId: "The key's id, which is no secret." };

export const docs = {
  "GET /operator/accounts/:id/keys": {
    id: "operatorKeys",
    tag: "Operator: accounts",
    summary: "List an account's keys of both modes",
    reply: "KeyList",
    path,
  },
  "POST /operator/accounts/:id/keys": {
    id: "operatorMakeKey",
    tag: "Operator: accounts",
    summary: "Make a key",
    reply: "KeyMade",
    idempotent: true,
    path,
  },
  "DELETE /operator/accounts/:id/keys/:keyId": {
    id: "operatorRevokeKey",
    tag: "Operator: accounts",
    summary: "Revoke a key, at once",
    reply: "KeyNamed",
    path: pathOfKey,
  },
  "POST /operator/accounts/:id/keys/:keyId/rotate": {
    id: "operatorRotateKey",
    tag: "Operator: accounts",
    summary: "Replace a key by another",
    reply: "KeyRotated",
    idempotent: true,
    path: pathOfKey,
  },
} satisfies Docs;
