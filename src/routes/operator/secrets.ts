import * as z from "zod";
import { expireKeys } from "../../accounts/keys.ts";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { optional } from "../../http/fields.ts";
import { keysPage, secretsInUse } from "../../accounts/secrets.ts";
import type { KeysOfSecret, ListInUse } from "../../accounts/secrets.ts";
import { keyRow } from "./keys.ts";
import { limitField, query } from "../../http/query.ts";
import { accountInPath, keySecret, missing, operator, timeOf } from "./operator.ts";

const list = ({ name, making, neededUntil, listed }: ListInUse) => ({
  name,
  making,
  needed_until: timeOf(neededUntil),
  listed: listed.map(({ id, listedSince, makesSince, changed }) => ({
    id,
    listed_since: timeOf(listedSince),
    makes_since: timeOf(makesSince),
    changed,
  })),
});

const keysOf = ({ secretId, keys, webhooks, lastUsedAt }: KeysOfSecret) => ({
  secret_id: secretId,
  keys,
  // Left out where there are none, as it was before there were webhooks.
  ...(webhooks > 0 && { webhooks }),
  last_used_at: timeOf(lastUsedAt),
});

const after = z.string().default("").meta({ description: "The `next` of the page before." });
const asked = query(z.object({ limit: limitField, after }));

const TIME = "made_before must be a time such as 2026-11-22T00:00:00Z.";
const IDS = "secret_ids must be a list of ids from 1 to 127.";

const schema = z
  .object({
    made_before: optional(
      z.iso
        .datetime({ offset: true, error: TIME })
        .meta({ description: "Keys that were made before this time.", examples: ["2026-11-22T00:00:00Z"] }),
    ),
    secret_ids: optional(
      z
        .array(z.number(IDS).int(IDS).min(1, IDS).max(127, IDS), IDS)
        .min(1, IDS)
        .max(127, IDS)
        .meta({ description: "Keys that these secrets made. One of the two fields, not both." }),
    ),
  })
  .refine((body) => body.made_before === undefined || body.secret_ids === undefined, {
    error: "Give made_before or secret_ids, not both.",
    path: ["secret_ids"],
  });

/** The secrets in use, what still depends on the older ones, and the end of an account's older keys (docs/secrets.md). */
export const operatorSecrets = (app: Api) => {
  app.get("/operator/secrets", operator("read"), async (c) => {
    const lists = await secretsInUse(c.env, Date.now());
    return c.json({ success: true, secrets: lists.map(list) });
  });

  app.get("/operator/secrets/keys", operator("read"), asked, async (c) => {
    const { limit, after: place } = c.req.valid("query");
    const { accounts, next } = await keysPage(c.env, place, limit, Date.now());
    const data = accounts.map(({ accountId, secrets }) => ({ account_id: accountId, secrets: secrets.map(keysOf) }));
    return c.json({ success: true, data, has_more: next !== null, next });
  });

  app.post("/operator/accounts/:id/keys/expire", operator("revokeKeys"), jsonBody(schema), async (c) => {
    const { accountId } = accountInPath(c);
    const { made_before: madeBefore, secret_ids: secretIds } = c.req.valid("json");
    const which = {
      ...(secretIds && { secretIds }),
      ...(madeBefore !== undefined && { madeBefore: Date.parse(madeBefore) }),
    };
    const ended = (await expireKeys(c.env, keySecret(c), accountId, which)) ?? missing("account");
    const details = { keys: ended.length, ...(madeBefore !== undefined && { before: madeBefore }) };
    await audit(c, { action: "keys.expired", accountId, details });
    return c.json({ success: true, expired: ended.map(keyRow) });
  });
};

export const docs = {
  "GET /operator/secrets": {
    id: "operatorSecrets",
    tag: "Operator: service",
    summary: "Show which secrets are in use",
    description: "Their ids and times, and never a secret.",
    reply: "SecretsInUse",
  },
  "GET /operator/secrets/keys": {
    id: "operatorSecretKeys",
    tag: "Operator: service",
    summary: "List the usable keys of accounts by the secret that made them",
    reply: "KeysBySecretList",
  },
  "POST /operator/accounts/:id/keys/expire": {
    id: "operatorExpireKeys",
    tag: "Operator: accounts",
    summary: "End an account's older keys",
    reply: "KeysExpired",
    path: { id: "The account's id." },
  },
} satisfies Docs;
