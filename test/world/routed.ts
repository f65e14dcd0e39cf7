import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { messageId } from "../../src/crypto/ids.ts";
import { signedHeaders } from "../../src/crypto/webhook-signature.ts";
import type { Route } from "../../src/model/carrier/carrier.ts";
import type { Lane } from "../../src/model/lane.ts";
import type { Permits } from "../../src/model/pace.ts";
import worker from "../../src/worker.ts";
import { ACME, ACME_SECRET, noCarriers, setCarrier } from "./carrier-set.ts";
import { waitByClock, watchPace } from "./carriers.ts";
import { bearer, call, deliverLane, messagesOf, operator } from "./world.ts";
import type { World } from "./world.ts";

// Three carriers of a set and routes to them, and what their gateways were given.

export const NAMES = ["acme", "bravo", "charlie"] as const;

interface Routed {
  /** Each submission: the carrier that got it, and the message's reference. */
  got: { carrier: string; ref: string }[];
  /** What each carrier answers; by default it takes everything. */
  answers: Partial<Record<string, (ref: string) => Response | Promise<Response>>>;
  /** What each carrier's pacing object says; by default as many permits as are asked for. */
  permits: Partial<Record<string, () => Partial<Permits>>>;
}

/** The carriers of a test. */
export const routed: Routed = { got: [], answers: {}, permits: {} };

export const carriersOf = () => routed.got.map(({ carrier }) => carrier);

/** Sets three carriers up behind a gateway, each under its own host. */
export async function setUpCarriers(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(console, "log").mockReturnValue();
  waitByClock();
  Object.assign(routed, { got: [], answers: {}, permits: {} });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (address, init) => {
    const carrier = new URL(address instanceof Request ? address.url : address).hostname.split(".")[0] ?? "";
    const { ref } = JSON.parse(await new Response(init?.body ?? null).text()) as { ref: string };
    routed.got.push({ carrier, ref });
    return routed.answers[carrier]?.(ref) ?? Response.json({});
  });
  for (const name of NAMES) {
    await setCarrier(name, { ...ACME, settings: { url: `https://${name}.example.com/messages` } });
  }
}

/** Takes them away again. */
export async function takeDown(): Promise<void> {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await noCarriers();
}

export async function route(...routes: Route[]): Promise<void> {
  const reply = await operator("PUT", "/operator/routes", { routes });
  expect(reply.status, reply.text).toBe(200);
}

export const IN_TURN: Route = { carriers: [{ name: "acme", weight: 1 }], fallback: ["bravo", "charlie"] };

/** What a fresh isolate has around it; each carrier has a pace of its own. */
export function around(more: object = {}): Env {
  const paces = new Map<string, ReturnType<typeof watchPace>>();
  const getByName = (name: string) => {
    const pace = paces.get(name) ?? watchPace(() => routed.permits[name]?.() ?? {});
    paces.set(name, pace);
    return pace.PACE.getByName(name);
  };
  const own = { CARRIER: "http", DIRECT_DISPATCH: "on", PACE: { getByName } as unknown as Env["PACE"] };
  return Object.assign({ ...env }, own, more);
}

/** Sends one SMS, which its own request submits, and waits until all of its work is done. */
export async function send(world: World, at = around(), phone = "9876543210"): Promise<void> {
  const request = new Request("http://sms.localhost/send-sms", {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    body: JSON.stringify({ phone, message: "Hello" }),
  });
  const ctx = createExecutionContext();
  const reply = await worker.fetch(request as Parameters<typeof worker.fetch>[0], at, ctx);
  expect(reply.status).toBe(200);
  await waitOnExecutionContext(ctx);
}

export const QUEUED = { DIRECT_DISPATCH: "off" };

/** Orders messages that wait for a consumer. */
export async function order(world: World, phones: string[]): Promise<void> {
  const request = new Request("http://sms.localhost/send-bulk-sms", {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    body: JSON.stringify({ recipients: phones, message: "Hello" }),
  });
  const ctx = createExecutionContext();
  const lanes = { OTP_QUEUE: QUEUE, SINGLE_QUEUE: QUEUE, BULK_QUEUE: QUEUE };
  expect((await worker.fetch(request as Parameters<typeof worker.fetch>[0], around(lanes), ctx)).status).toBe(200);
  await waitOnExecutionContext(ctx);
}
const QUEUE = { send: async () => undefined, sendBatch: async () => undefined };

export const deliver = (world: World, lane: Lane = "bulk", at = around()) =>
  deliverLane([{ kind: "send", account: world.name, lane }], at);

/** Posts a receipt as this carrier signs it. */
export async function receipt(name: string, ref: string, state = "delivered"): Promise<void> {
  const text = JSON.stringify({ ref, state });
  const headers = { "content-type": "application/json", ...signedHeaders(ACME_SECRET, `r-${name}`, text, Date.now()) };
  const reply = await call(`http://console.localhost/callbacks/${name}`, { method: "POST", headers, body: text });
  expect(reply.status).toBe(200);
}

export const only = async (world: World) => {
  const [message] = await messagesOf(world);
  if (!message) throw new Error("there is no message");
  return message;
};

export const refOf = (world: World, { seq, index }: { seq: number; index: number }) =>
  messageId(env.KEY_SECRET, world.ref, "sms", { seq, index });

export const timelineOf = async (world: World, index = 0) => {
  const page = await world.stub.messages({ seq: 0, index: -1 }, 1_000);
  return page?.[index]?.timeline.map(({ at: _at, ...entry }) => entry);
};
