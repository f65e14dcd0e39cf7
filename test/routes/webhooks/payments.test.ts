import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import worker from "../../../src/worker.ts";
import { TOLERANCE_MS } from "../../../src/crypto/webhook-signature.ts";
import { createExecutionContext } from "cloudflare:test";
import { deliver, entriesOf, openShop, orderNow, recordedOf, standingOf, webhooksOf } from "../../world/shop.ts";
import type { Shop } from "../../world/shop.ts";

// A webhook that is not genuine to the byte, or is too old, changes nothing.

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function expectNothing({ world, order }: Shop): Promise<void> {
  expect(await entriesOf(world)).toEqual([]);
  expect(await orderNow(order)).toMatchObject({ state: "created" });
  expect(await recordedOf(order)).toEqual([]);
}

describe("a webhook that is not genuine", () => {
  it.each([
    ["unsigned", (headers: Record<string, string>) => ({ ...headers, "webhook-signature": "" })],
    ["under another id", (headers: Record<string, string>) => ({ ...headers, "webhook-id": "evt_other" })],
    ["under another time", (headers: Record<string, string>) => ({ ...headers, "webhook-timestamp": "1790000000" })],
    [
      "signed with zeros",
      (headers: Record<string, string>) => ({ ...headers, "webhook-signature": `v1,${"A".repeat(43)}=` }),
    ],
  ])("%s: 401, and nothing changes", async (_, forge) => {
    const shop = await openShop();
    const [webhook] = webhooksOf(shop.order, "success");
    expect((await deliver({ body: webhook!.body, headers: forge(webhook!.headers) })).status).toBe(401);
    await expectNothing(shop);
  });

  it("signed with a key for another purpose, or with the secret itself: 401", async () => {
    const shop = await openShop();
    const [{ body, headers }] = webhooksOf(shop.order, "success") as [
      { body: string; headers: Record<string, string> },
    ];
    const other = createHmac("sha256", env.KEY_SECRET).update("dastak/media/v1\0").digest();
    for (const key of [other, Buffer.from(env.KEY_SECRET), Buffer.from(env.CARRIER_HTTP_SECRET.slice(6), "base64")]) {
      const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
      const signature = `v1,${createHmac("sha256", key).update(text).digest("base64")}`;
      expect((await deliver({ body, headers: { ...headers, "webhook-signature": signature } })).status).toBe(401);
    }
    await expectNothing(shop);
  });

  it("serialised again with the same content: 401", async () => {
    const shop = await openShop();
    const [{ body, headers }] = webhooksOf(shop.order, "success") as [
      { body: string; headers: Record<string, string> },
    ];
    for (const anew of [JSON.stringify(JSON.parse(body), null, 1), `${body}\n`, ` ${body}`]) {
      expect(JSON.parse(anew)).toEqual(JSON.parse(body));
      expect((await deliver({ body: anew, headers })).status).toBe(401);
    }
    await expectNothing(shop);
    expect((await deliver({ body, headers })).status).toBe(200);
  });

  it("replayed after its tolerance: 401", async () => {
    const shop = await openShop();
    const [webhook] = webhooksOf(shop.order, "success");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TOLERANCE_MS + 2_000 });
    expect((await deliver(webhook!)).status).toBe(401);
    await expectNothing(shop);
  });
});

describe("the endpoint", () => {
  it("accepts a signature from an independent implementation of the standard", async () => {
    const shop = await openShop();
    const key = createHmac("sha256", env.KEY_SECRET).update("dastak/payments/sandbox\0").digest();
    const body = JSON.stringify({
      id: "evt_by_hand",
      kind: "paid",
      order_id: shop.order.id,
      payment_id: "pay_by_hand",
      amount: 199_900,
      refunded: 0,
      currency: "INR",
    });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", key).update(`evt_by_hand.${timestamp}.${body}`).digest("base64");
    const headers = {
      "webhook-id": "evt_by_hand",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    };
    expect((await deliver({ body, headers })).status).toBe(200);
    expect(await standingOf(shop.world)).toMatchObject({ plan: "business" });
  });

  it("answers 200 to a genuine event that cannot be applied, so that it is not redelivered for ever", async () => {
    const shop = await openShop();
    const [webhook] = webhooksOf(shop.order, "success", { wrongAmount: true });
    expect((await deliver(webhook!)).status).toBe(200);
    expect(await entriesOf(shop.world)).toEqual([]);
    expect(await recordedOf(shop.order)).toMatchObject([{ quarantined: expect.stringContaining("Wrong amount") }]);
  });

  it("answers 5xx while nothing can be stored, and applies the event when it is redelivered", async () => {
    const shop = await openShop();
    const [{ body, headers }] = webhooksOf(shop.order, "success") as [
      { body: string; headers: Record<string, string> },
    ];
    const url = "http://console.localhost/webhooks/payments/sandbox";
    const away = new Proxy(env.DB, {
      get: () => () => {
        throw new Error("D1 is away");
      },
    });
    const post = () =>
      new Request(url, { method: "POST", body, headers }) as Request<unknown, IncomingRequestCfProperties>;
    const { status } = await worker.fetch(post(), { ...env, DB: away }, createExecutionContext());
    expect(status).toBe(500);
    await expectNothing(shop);
    expect((await deliver({ body, headers })).status).toBe(200);
    expect(await standingOf(shop.world)).toMatchObject({ plan: "business" });
  });

  it("does not exist for providers that are not configured", async () => {
    const shop = await openShop();
    const [{ body, headers }] = webhooksOf(shop.order, "success") as [
      { body: string; headers: Record<string, string> },
    ];
    for (const [provider, variables] of [
      ["sandbox", { PAYMENTS: "none" }],
      ["razorpay", {}],
      ["stripe", {}],
      ["constructor", {}],
    ] as const) {
      const url = `http://console.localhost/webhooks/payments/${provider}`;
      const post = new Request(url, { method: "POST", body, headers }) as Request<unknown, IncomingRequestCfProperties>;
      expect((await worker.fetch(post, { ...env, ...variables }, createExecutionContext())).status).toBe(404);
    }
    await expectNothing(shop);
  });
});
