import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, refOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { objectName, randomId } from "../../crypto/ids.ts";
import { secretsOf } from "../../crypto/secrets.ts";
import { webhookSecret } from "../../crypto/webhook-secret.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { Action } from "../../model/audit.ts";
import type { Attempt, Endpoint, EndpointRefusal } from "../../model/webhook.ts";
import { count } from "../../ui/format.ts";
import type { Unsaved } from "../../ui/parts.tsx";
import { SecretShown, WebhookPage } from "../../ui/webhooks/one.tsx";
import { WebhooksPage } from "../../ui/webhooks/list.tsx";
import type { Verified } from "../../ui/webhooks/list.tsx";
import { webhookWords } from "../../ui/words/webhooks.ts";
import { deliverSoon } from "../../webhooks/deliver.ts";
import { shownAttempts } from "../../webhooks/shown.ts";
import { postTest } from "../../webhooks/test-event.ts";
import { whyNotSigned } from "../../webhooks/verify.ts";
import { termsIn } from "./webhook-edit.tsx";

const wordsOf = (c: Context<AppEnv>) => webhookWords[viewOf(c).lang];
const idOf = (c: Context<AppEnv>) => c.req.param("webhook") ?? "";

/** 404 alike for one that is unknown, another account's, or the other mode's. */
const missing = () => fail("not_found", "There is no such webhook.");

const present = (c: Context<AppEnv>) => secretsOf(settings(c).KEY_SECRET).current.id;

/** The webhook in the path, with its attempts. */
async function found(c: Context<AppEnv>): Promise<{ endpoint: Endpoint; attempts: Attempt[] }> {
  return (await stubOf(c).endpoint(idOf(c))) ?? missing();
}

/** An endpoint that was changed; 404 where there is none. */
const changed = (answer: Endpoint | EndpointRefusal | null): Endpoint =>
  answer === null || typeof answer === "string" ? missing() : answer;

const note = (c: Context<AppEnv>, action: Action, subject: string) =>
  audit(c, { action, subject, details: { mode: refOf(c).mode } });

async function list(
  c: Context<AppEnv>,
  more: { refused?: Refused & Unsaved; verified?: Verified } = {},
): Promise<Response> {
  const endpoints: Endpoint[] = (await stubOf(c).endpoints()) ?? [];
  const { refused, verified } = more;
  const status = refusedStatus(c, refused);
  const shown = { endpoints, now: Date.now(), done: c.req.query("done"), unsaved: refused, verified };
  return show(c, <WebhooksPage {...shown} />, { title: wordsOf(c).title, active: "webhooks", status });
}

/** What a page of one webhook says of the last act. */
interface Said {
  tone: "ok" | "bad";
  text: string;
}

/** What a page says of the act that led to it. */
function doneIn(c: Context<AppEnv>): { said?: Said } {
  const { saved, same } = wordsOf(c);
  const text = { saved, same }[c.req.query("done") ?? ""];
  return text === undefined ? {} : { said: { tone: "ok", text } };
}

async function one(c: Context<AppEnv>, more: { said?: Said; rangeFault?: string } = {}): Promise<Response> {
  const of = await found(c);
  const attempts = await shownAttempts(settings(c), refOf(c), stubOf(c), of);
  const { said, rangeFault } = more;
  const refused: Refused | undefined =
    rangeFault === undefined ? undefined : { code: "invalid_request", error: rangeFault };
  const status = refusedStatus(c, refused);
  const shown = { of: of.endpoint, attempts, now: Date.now(), said, rangeFault };
  return show(c, <WebhookPage {...shown} />, { title: wordsOf(c).title, active: "webhooks", status });
}

function showSecret(c: Context<AppEnv>, endpoint: Endpoint): Response | Promise<Response> {
  const secret = webhookSecret(settings(c).KEY_SECRET, refOf(c), endpoint.id, endpoint);
  if (secret === null) return one(c, { said: { tone: "bad", text: wordsOf(c).noSecret } });
  return show(c, <SecretShown secret={secret} of={endpoint} />, { title: wordsOf(c).secretTitle, active: "webhooks" });
}

async function make(c: Context<AppEnv>): Promise<Response> {
  const typed = await formOf(c);
  const read = termsIn(c, typed);
  if (!read.ok) return list(c, { refused: read.refused });
  const { terms } = read;
  const { once } = typed;
  // The form's mark, so that a form that is posted twice makes one webhook.
  const id =
    once !== undefined && /^once_[0-9A-Za-z]{10,30}$/u.test(once) ? once.replace("once", "wh") : randomId("wh");
  const made: Endpoint | EndpointRefusal | null = await stubOf(c).addEndpoint(id, terms, present(c));
  if (made === "too_many") {
    return list(c, { refused: { code: "invalid_request", error: wordsOf(c).tooMany, typed } });
  }
  const endpoint = changed(made);
  await note(c, "webhook.made", endpoint.id);
  return showSecret(c, endpoint);
}

async function verify(c: Context<AppEnv>): Promise<Response> {
  const { headers = "", body = "", secret = "" } = await formOf(c);
  const lines = headers.split(/\r?\n/u).flatMap((line): [string, string][] => {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*)$/u.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  // A browser ends each line of a text field with CR and LF.
  const received = { headers: Object.fromEntries(lines), body: body.replaceAll("\r\n", "\n"), secret: secret.trim() };
  return list(c, { verified: { reason: whyNotSigned(received, Date.now()), typed: { headers, body } } });
}

async function test(c: Context<AppEnv>): Promise<Response> {
  const t = wordsOf(c);
  const { endpoint } = await found(c);
  const attempt = await postTest(settings(c), refOf(c), endpoint);
  if (!attempt) return one(c, { said: { tone: "bad", text: t.noSecret } });
  await stubOf(c).noteAttempt(endpoint.id, attempt);
  const text = `${t.tested} ${attempt.status ?? t.noAnswer} (${attempt.ms} ms)`;
  return one(c, { said: { tone: attempt.error === null ? "ok" : "bad", text } });
}

const numberIn = (text: string) => (/^\s*[1-9][0-9]{0,14}\s*$/u.test(text) ? Number(text) : Number.NaN);

async function replay(c: Context<AppEnv>): Promise<Response> {
  const t = wordsOf(c);
  const { from = "", to = "" } = await formOf(c);
  const [first, last] = [numberIn(from), to.trim() === "" ? null : numberIn(to)];
  if (Number.isNaN(first) || Number.isNaN(last ?? 0) || (last !== null && last < first)) {
    return one(c, { rangeFault: t.badRange });
  }
  const answer: { replayed: number } | EndpointRefusal | null = await stubOf(c).replayEvents(idOf(c), first, last);
  if (answer === "events_expired") return one(c, { rangeFault: t.tooOld });
  if (answer === null || typeof answer === "string") return missing();
  deliverSoon(c.env, c.executionCtx, objectName(refOf(c)));
  return one(c, { said: { tone: "ok", text: t.replayed(count(answer.replayed, viewOf(c).lang)) } });
}

async function setState(c: Context<AppEnv>): Promise<Response> {
  const { state, skip } = await formOf(c);
  if (state !== "active" && state !== "disabled") return fail("invalid_request", "state must be active or disabled.");
  changed(await stubOf(c).changeEndpoint(idOf(c), { state, skip: skip === "on" }));
  await note(c, "webhook.changed", idOf(c));
  deliverSoon(c.env, c.executionCtx, objectName(refOf(c)));
  return c.redirect(`${at(c, `/endpoints/${idOf(c)}`)}?done=saved`, 303);
}

async function rotate(c: Context<AppEnv>): Promise<Response> {
  const { overlap = "" } = await formOf(c);
  if (!Object.hasOwn(wordsOf(c).overlaps, overlap)) fail("invalid_request", "Choose when the old secret stops.");
  const endpoint = changed(await stubOf(c).rotateEndpoint(idOf(c), Number(overlap) * 1000, present(c)));
  await note(c, "webhook.rotated", endpoint.id);
  return showSecret(c, endpoint);
}

/** `/endpoints`: the webhooks of the chosen mode. */
export const webhooksPages = (app: Api) => {
  app.get("/endpoints", page, signedIn, (c) => list(c));
  app.post("/endpoints", page, signedIn, freshlySignedIn, (c) => make(c));
  app.post("/endpoints/verify", page, signedIn, (c) => verify(c));
  app.get("/endpoints/:webhook", page, signedIn, (c) => one(c, doneIn(c)));
  app.post("/endpoints/:webhook/test", page, signedIn, (c) => test(c));
  app.post("/endpoints/:webhook/replay", page, signedIn, (c) => replay(c));
  app.post("/endpoints/:webhook/state", page, signedIn, (c) => setState(c));
  app.post("/endpoints/:webhook/show", page, signedIn, freshlySignedIn, async (c) => {
    const { endpoint } = await found(c);
    await note(c, "webhook.shown", endpoint.id);
    return showSecret(c, endpoint);
  });
  app.post("/endpoints/:webhook/rotate", page, signedIn, freshlySignedIn, (c) => rotate(c));
  app.post("/endpoints/:webhook/delete", page, signedIn, async (c) => {
    if ((await stubOf(c).removeEndpoint(idOf(c))) !== true) missing();
    await note(c, "webhook.deleted", idOf(c));
    return c.redirect(`${at(c, "/endpoints")}?done=deleted`, 303);
  });
};
