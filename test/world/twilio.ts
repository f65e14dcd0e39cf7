import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { readMessageSid } from "../../src/crypto/ids.ts";
import { consumeWebhooks } from "../../src/webhooks/consume.ts";
import { receipt } from "./events.ts";
import { call, claim } from "./world.ts";
import type { Reply, World } from "./world.ts";

// A program that was written for Twilio, and the addresses that it wants to be told at.

export const SID = `AC${"0".repeat(32)}`;

export const ACCOUNTS = "http://sms.localhost/2010-04-01/Accounts";
export const MESSAGES = `${ACCOUNTS}/${SID}/Messages`;

export const basic = (key: string) => ({ authorization: `Basic ${btoa(`${SID}:${key}`)}` });

/** Posts a form, as Twilio's clients do. */
export const postForm = (url: string, fields: object, headers: Record<string, string>): Promise<Reply> =>
  call(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields as Record<string, string>).toString(),
  });

/** Sends an SMS. */
export const sendTwilio = (world: World, fields: object = {}, headers: Record<string, string> = {}): Promise<Reply> =>
  postForm(
    `${MESSAGES}.json`,
    { To: "+919876543210", From: "MYSHOP", Body: "Hello", ...fields },
    { ...basic(world.apiKey), ...headers },
  );

/** Asks for something below the account. */
export const askTwilio = (world: World, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  call(`${ACCOUNTS}/${SID}${path}`, { headers: { ...basic(world.apiKey), ...headers } });

/** Sends an SMS that has an address of its own; returns its job, which a carrier has claimed. */
export async function sendCalledBack(world: World, StatusCallback: string): Promise<number> {
  const { body, text } = await sendTwilio(world, { StatusCallback });
  const seq = readMessageSid(String(body?.sid))?.seq;
  if (seq === undefined) throw new Error(text);
  await claim(world);
  return seq;
}

/** Lets this become of a message. */
export const report = (world: World, seq: number, state: Parameters<typeof receipt>[1], code?: string) =>
  world.stub.report([receipt(seq, state, code)], false);

/** What one address was told. */
export interface Told {
  url: string;
  status: string;
  fields: Record<string, string>;
  signature: string;
  token: string;
}

/** How an address answers: with a status, a whole response, or not at all. */
export type TwilioAnswer = number | Response | "broken" | "late";

/** Mocks every address. */
export function listenForStates(answer: (told: Told, nth: number) => TwilioAnswer = () => 204): Told[] {
  const all: Told[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (init?.redirect !== "manual") throw new Error("a redirect would be followed");
    const headers = new Headers(init.headers);
    const fields = Object.fromEntries(new URLSearchParams(typeof init.body === "string" ? init.body : ""));
    const told: Told = {
      url: typeof input === "string" ? input : "",
      status: fields["MessageStatus"] ?? "",
      fields,
      signature: headers.get("x-twilio-signature") ?? "",
      token: headers.get("i-twilio-idempotency-token") ?? "",
    };
    const said = answer(told, all.length);
    all.push(told);
    if (said === "broken") throw new TypeError("connection lost");
    if (said === "late") throw new DOMException("too late", "TimeoutError");
    return said instanceof Response ? said : new Response(null, { status: said });
  });
  return all;
}

/** The messages of which states wait in the object: their hosts, how often the first of them failed, and when it is due. */
export const waitingStates = ({ stub }: World): Promise<{ host: string; failures: number; dueMs: number }[]> =>
  runInDurableObject(stub, (_, { storage: { sql } }) =>
    sql
      .exec<{ host: string; failures: number; dueMs: number }>(
        "SELECT host, json_extract(about, '$.failures') AS failures, next_at AS dueMs FROM status_callback ORDER BY seq",
      )
      .toArray(),
  );

/** Delivers what waits, as the queue's consumer does. */
export async function deliverStates(world: World, at: Env = env): Promise<void> {
  const message = { id: "c1", timestamp: new Date(), attempts: 1, body: { callbacks: world.name } };
  const batch = createMessageBatch("dastak-webhooks", [message]);
  await consumeWebhooks(batch, at);
  await getQueueResult(batch, createExecutionContext());
}

/** A failure has Twilio's shape, and nothing else. */
export function expectTwilio(reply: Reply, status: number, code: number): void {
  expect(reply.body).toEqual({ code, message: expect.any(String), more_info: expect.any(String), status });
  expect(reply.status).toBe(status);
  expect(reply.body.message).toMatch(/^[A-Z].*\.$/u);
  expect(reply.body.more_info).toMatch(/^http:\/\/console\.localhost\/docs\/errors#[a-z_]+$/u);
}
