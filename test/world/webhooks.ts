import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import { consumeWebhooks } from "../../src/webhooks/consume.ts";
import { receipt, sendClaimed } from "./events.ts";
import { bearer, call } from "./world.ts";
import type { Reply, World } from "./world.ts";

// A receiver of webhooks that verifies with a package that nobody here wrote, and an account's webhooks over the API.

/** One item of what a receiver got. */
export interface Got {
  url: string;
  id: string;
  seqs: number[];
  types: string[];
  body: string;
  /** Whether each of these secrets holds. */
  headers: Record<string, string>;
  status: number | "broken" | "late";
}

/** How a receiver answers: a status, a whole response, or not at all. */
export type Answer = number | Response | "broken" | "late";

/** Mocks every receiver; `answer` is asked with what came and how many came before. */
export function receive(answer: (got: Got, nth: number) => Answer = () => 200): { got: Got[] } {
  const got: Got[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    const body = typeof init?.body === "string" ? init.body : "";
    if (init?.redirect !== "manual") throw new Error("a redirect would be followed");
    const parsed = JSON.parse(body) as { type: string; seq?: number; data: { type: string; seq: number }[] };
    const items = parsed.type === "batch" ? parsed.data : [parsed];
    const one: Got = {
      url: new Request(input).url,
      id: headers["webhook-id"] ?? "",
      seqs: items.flatMap(({ seq }) => seq ?? []),
      types: items.map(({ type }) => type),
      body,
      headers,
      status: 200,
    };
    const said = answer(one, got.length);
    got.push(one);
    one.status = said instanceof Response ? said.status : said;
    if (said === "broken") throw new TypeError("connection lost");
    if (said === "late") throw new DOMException("too late", "TimeoutError");
    return said instanceof Response ? said : new Response(`said ${said}`, { status: said });
  });
  return { got };
}

/** Throws where the package does not take the signature, or finds it too old. */
export function verify(secret: string, { body, headers }: Got): void {
  new Webhook(secret).verify(body, headers);
}

/** Asks the account's API of webhooks. */
export const hooks = (world: World, method: string, path = "", body?: unknown): Promise<Reply> =>
  call(`http://console.localhost/v1/webhooks${path}`, {
    method,
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Makes a webhook; returns its id and secret. */
export async function makeWebhook(world: World, more: object = {}): Promise<{ id: string; secret: string }> {
  const { status, text, body } = await hooks(world, "POST", "", { url: "https://example.com/hook", ...more });
  if (status !== 200) throw new Error(text);
  return { id: body.webhook.webhook_id, secret: body.secret };
}

/** Delivers what waits, as the queue's consumer does. */
export async function deliverAll(world: World, at: Env = env): Promise<void> {
  const message = { id: "w1", timestamp: new Date(), attempts: 1, body: { webhooks: world.name } };
  const batch = createMessageBatch("dastak-webhooks", [message]);
  await consumeWebhooks(batch, at);
  await getQueueResult(batch, createExecutionContext());
}

/** Sends an SMS and has it delivered: one event. */
export async function happen(world: World, state: "delivered" | "failed" = "delivered"): Promise<void> {
  const seq = await sendClaimed(world);
  await world.stub.report([receipt(seq, state)], false);
}

/** The same, this many times. */
export async function happenTimes(world: World, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await happen(world);
}

/** A webhook as the API shows it. */
export const webhookOf = async (world: World, id: string) => (await hooks(world, "GET", `/${id}`)).body.webhook;
