import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { objectName, randomId } from "../../crypto/ids.ts";
import { secretsOf } from "../../crypto/secrets.ts";
import { webhookSecret } from "../../crypto/webhook-secret.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { afterField, limitField, numbersIn, page, query } from "../../http/query.ts";
import type { Endpoint, EndpointRefusal } from "../../model/webhook.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf } from "../../sending/send-order.ts";
import { deliverSoon } from "../../webhooks/deliver.ts";
import { ADDRESS_FAULTS, DESCRIPTION_MAX, URL_LENGTH_MAX, refusedAddress } from "../../webhooks/guard.ts";
import { postTest } from "../../webhooks/test-event.ts";
import { TYPES_MAX, TYPE_FILTERS } from "../../webhooks/types.ts";
import { VERIFY_REASONS, whyNotSigned } from "../../webhooks/verify.ts";
import { wireAttempt, wireWebhook } from "../../webhooks/wire.ts";

/** The longest overlap of a rotation, in seconds: a week. */
const OVERLAP_SEC_MAX = 604_800;
const OVERLAP_SEC = 86_400;

const textOf = (name: string, max: number) =>
  z
    .string({ error: ({ input }) => `${name} ${input === undefined ? "is required" : "must be a string"}.` })
    .max(max, `${name} must have at most ${max} characters.`)
    .refine((text) => text.isWellFormed(), `${name} has a broken character.`);

const url = textOf("url", URL_LENGTH_MAX).meta({
  description: "Where events are posted to: https, with a public host name.",
  examples: ["https://example.com/webhooks/dastak"],
});
const types = z
  .array(z.enum(TYPE_FILTERS, "types must be event types, groups such as message.*, or *."), "types must be a list.")
  .min(1, "types must not be empty.")
  .max(TYPES_MAX, `types must have at most ${TYPES_MAX} entries.`)
  .meta({ description: "Which events it gets; all of them where left out.", examples: [["message.*"]] });
const batch = z
  .boolean("batch must be true or false.")
  .meta({ description: "Whether up to 50 events are posted together.", examples: [false] });
const description = textOf("description", DESCRIPTION_MAX).meta({ examples: ["Orders"] });

const creation = z.strictObject({
  url,
  types: types.optional(),
  batch: batch.optional(),
  description: description.optional(),
});
const change = z.strictObject({
  url: url.optional(),
  types: types.optional(),
  batch: batch.optional(),
  description: description.optional(),
  state: z
    .enum(["active", "disabled"], "state must be active or disabled.")
    .optional()
    .meta({ description: "`active` enables it again, from where it stopped." }),
  skip: z
    .boolean("skip must be true or false.")
    .optional()
    .meta({ description: "Goes on from now: what it has not got yet is left out." }),
});
const whole = (name: string, min: number, max: number) => {
  const wrong = `${name} must be a whole number from ${min} to ${max}.`;
  return z.int(wrong).min(min, wrong).max(max, wrong);
};
const rotation = z.strictObject({
  overlapSeconds: whole("overlapSeconds", 0, OVERLAP_SEC_MAX)
    .optional()
    .meta({ description: "How long the old secret signs as well; a day where left out.", examples: [3600] }),
});
const SEQ_MAX = Number.MAX_SAFE_INTEGER;
const range = z.strictObject({
  from: whole("from", 1, SEQ_MAX).meta({ description: "The number of the first event.", examples: [1] }),
  to: whole("to", 1, SEQ_MAX).optional().meta({ description: "The number of the last; the newest where left out." }),
});
const received = z.strictObject({
  headers: z
    .record(z.string(), z.string(), "headers must be an object of texts.")
    .meta({ description: "The headers as they were received.", examples: [{ "webhook-id": "evt_1" }] }),
  body: textOf("body", 1_000_000).meta({ description: "The body, byte for byte.", examples: ["{}"] }),
  secret: textOf("secret", 200).meta({ description: "The secret that it was checked with.", examples: ["whsec_"] }),
});

const missing = () => fail("not_found", "There is no such webhook.");

const nameOf = (c: Context<AppEnv>) => objectName(keyOf(c));
const idOf = (c: Context<AppEnv>) => c.req.param("webhook") ?? "";

/** Ends the request where the account refuses a change. */
function changed<T extends object>(answer: T | EndpointRefusal | null): T {
  switch (answer) {
    case null:
    case "unknown":
      return missing();
    case "too_many":
      return fail("too_many", "An account has at most 10 webhooks. Delete one first.");
    case "events_expired":
      return fail("invalid_request", "from is older than the events that are kept.", { param: "from" });
    case "disabled":
      return fail("invalid_request", "This webhook is disabled. Enable it first, with state active.");
    default:
      return answer;
  }
}

/** Ends the request where an address must not be posted to. */
function checkAddress(c: Context<AppEnv>, address: string | undefined): void {
  const refused = address === undefined ? null : refusedAddress(settings(c), address);
  if (refused !== null) fail("invalid_request", ADDRESS_FAULTS[refused], { param: "url" });
}

async function endpointIn(c: Context<AppEnv>) {
  return (await accountOf(c).endpoint(idOf(c))) ?? missing();
}

const shown = (endpoint: Endpoint) => wireWebhook(endpoint, Date.now());

/** The secret of an endpoint that was made or rotated just now, with the present KEY_SECRET. */
function secretShown(c: Context<AppEnv>, endpoint: Endpoint): string {
  const secret = webhookSecret(settings(c).KEY_SECRET, keyOf(c), endpoint.id, endpoint);
  if (secret === null) throw new Error("a webhook has a secret that is not listed");
  return secret;
}

/** What is, is made, changed and deleted. */
function terms(app: Api): void {
  app
    .get("/v1/webhooks", accountApi, async (c) => {
      const endpoints: Endpoint[] = (await accountOf(c).endpoints()) ?? [];
      return c.json({ success: true, data: endpoints.map(shown), has_more: false, next: null });
    })
    .post("/v1/webhooks", accountApi, jsonBody(creation), async (c) => {
      const {
        url: address,
        types: asked = ["*"],
        batch: isBatch = false,
        description: about = "",
      } = c.req.valid("json");
      checkAddress(c, address);
      const asTerms = { url: address, types: asked, batch: isBatch, description: about };
      const { id: secretId } = secretsOf(settings(c).KEY_SECRET).current;
      const endpoint: Endpoint = changed(await accountOf(c).addEndpoint(randomId("wh"), asTerms, secretId));
      await audit(c, { action: "webhook.made", subject: endpoint.id, details: { mode: keyOf(c).mode } });
      return c.json({ success: true, webhook: shown(endpoint), secret: secretShown(c, endpoint) });
    })
    .post("/v1/webhooks/verify", accountApi, jsonBody(received), (c) => {
      const reason = whyNotSigned(c.req.valid("json"), Date.now());
      return c.json({ success: true, valid: reason === null, reason: reason && VERIFY_REASONS[reason] });
    })
    .get("/v1/webhooks/:webhook", accountApi, async (c) => {
      const { endpoint } = await endpointIn(c);
      return c.json({ success: true, webhook: shown(endpoint) });
    })
    .patch("/v1/webhooks/:webhook", accountApi, jsonBody(change), async (c) => {
      const asked = c.req.valid("json");
      checkAddress(c, asked.url);
      const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
      const endpoint: Endpoint = changed(await accountOf(c).changeEndpoint(idOf(c), given));
      await audit(c, { action: "webhook.changed", subject: endpoint.id, details: { mode: keyOf(c).mode } });
      deliverSoon(c.env, c.executionCtx, nameOf(c));
      return c.json({ success: true, webhook: shown(endpoint) });
    })
    .delete("/v1/webhooks/:webhook", accountApi, async (c) => {
      const subject = idOf(c);
      if ((await accountOf(c).removeEndpoint(subject)) !== true) missing();
      await audit(c, { action: "webhook.deleted", subject, details: { mode: keyOf(c).mode } });
      return c.json({ success: true, deleted: 1 });
    });
}

/** What is done with one. */
function acts(app: Api): void {
  app
    .post("/v1/webhooks/:webhook/rotate", accountApi, jsonBody(rotation), async (c) => {
      const overlapMs = (c.req.valid("json").overlapSeconds ?? OVERLAP_SEC) * 1000;
      const { id: secretId } = secretsOf(settings(c).KEY_SECRET).current;
      const endpoint: Endpoint = changed(await accountOf(c).rotateEndpoint(idOf(c), overlapMs, secretId));
      await audit(c, { action: "webhook.rotated", subject: endpoint.id, details: { mode: keyOf(c).mode } });
      return c.json({ success: true, webhook: shown(endpoint), secret: secretShown(c, endpoint) });
    })
    .post("/v1/webhooks/:webhook/test", accountApi, async (c) => {
      const { endpoint }: { endpoint: Endpoint } = await endpointIn(c);
      const attempt = await postTest(settings(c), keyOf(c), endpoint);
      if (!attempt) return fail("invalid_request", "This webhook has no secret any more. Rotate it first.");
      await accountOf(c).noteAttempt(endpoint.id, attempt);
      return c.json({ success: true, attempt: wireAttempt(attempt) });
    })
    .get(
      "/v1/webhooks/:webhook/attempts",
      accountApi,
      query(z.object({ limit: limitField, after: afterField(numbersIn(1)) })),
      async (c) => {
        const { limit, after } = c.req.valid("query");
        const { attempts } = await endpointIn(c);
        const newest = attempts.toReversed().map((attempt, at) => ({ at, attempt }));
        const from = after?.[0] ?? 0;
        const { rows, ...more } = page(newest.slice(from, from + limit + 1), limit, ({ at }) => String(at + 1));
        return c.json({ success: true, data: rows.map(({ attempt }) => wireAttempt(attempt)), ...more });
      },
    )
    .post("/v1/webhooks/:webhook/replay", accountApi, jsonBody(range), async (c) => {
      const { from, to = null } = c.req.valid("json");
      if (to !== null && to < from) fail("invalid_request", "to must not be less than from.", { param: "to" });
      const { replayed } = changed<{ replayed: number }>(await accountOf(c).replayEvents(idOf(c), from, to));
      deliverSoon(c.env, c.executionCtx, nameOf(c));
      return c.json({ success: true, replayed });
    });
}

/** `/v1/webhooks`: the webhooks of the key's account and mode (contract §14). */
export const webhooksApi = (app: Api) => {
  terms(app);
  acts(app);
};

const path = { webhook: "The webhook's id." };
const tag = "Webhooks";

export const docs = {
  "GET /v1/webhooks": { id: "listWebhooks", tag, summary: "List the webhooks, oldest first", reply: "WebhookList" },
  "POST /v1/webhooks": {
    id: "createWebhook",
    tag,
    summary: "Create a webhook",
    description:
      "It gets the events from now on, signed as Standard Webhooks says. The secret verifies them; keep it on your server.",
    reply: "WebhookWithSecret",
    codes: ["too_many"],
  },
  "POST /v1/webhooks/verify": {
    id: "verifyWebhook",
    tag,
    summary: "Find out why a signature does not hold",
    description: "Tries the usual mistakes on what you received: nothing of it is stored.",
    reply: "WebhookVerified",
  },
  "GET /v1/webhooks/:webhook": { id: "getWebhook", tag, summary: "Show a webhook", reply: "Webhook", path },
  "PATCH /v1/webhooks/:webhook": { id: "changeWebhook", tag, summary: "Change a webhook", reply: "Webhook", path },
  "DELETE /v1/webhooks/:webhook": { id: "deleteWebhook", tag, summary: "Delete a webhook", reply: "Deleted", path },
  "POST /v1/webhooks/:webhook/rotate": {
    id: "rotateWebhookSecret",
    tag,
    summary: "Give a webhook another secret",
    description: "Until the overlap ends, both secrets sign each delivery.",
    reply: "WebhookWithSecret",
    path,
  },
  "POST /v1/webhooks/:webhook/test": {
    id: "testWebhook",
    tag,
    summary: "Post a test event",
    description: "Posts an event of type `test`, once and at once, and replies what came back.",
    reply: "WebhookTested",
    path,
  },
  "GET /v1/webhooks/:webhook/attempts": {
    id: "listWebhookAttempts",
    tag,
    summary: "List the newest attempts, newest first",
    reply: "WebhookAttemptList",
    path,
  },
  "POST /v1/webhooks/:webhook/replay": {
    id: "replayWebhook",
    tag,
    summary: "Send events again",
    description: "Both ends included, with the ids that they had. Only what the webhook has got is sent again.",
    reply: "WebhookReplayed",
    path,
  },
} satisfies Docs;
