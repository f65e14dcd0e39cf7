import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sendClaimed, receipt } from "../../world/events.ts";
import { DEPLOYED } from "../../world/deployment.ts";
import { expectFailure } from "../../world/operating.ts";
import { deliverAll, hooks, makeWebhook, receive, verify } from "../../world/webhooks.ts";
import { bearer, call, openWorld } from "../../world/world.ts";

// `/v1/webhooks` (contract §14): its shapes, its refusals, and what belongs to whom.

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const URL_OF = "https://example.com/hook";
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);

describe("/v1/webhooks", () => {
  it.each(["live", "test"] as const)("makes, lists, shows, changes and deletes those of a %s key", async (mode) => {
    const world = await openWorld({ mode });
    const made = await hooks(world, "POST", "", { url: URL_OF, description: "Orders" });
    const webhook = {
      webhook_id: expect.stringMatching(/^wh_[0-9A-Za-z]+$/u),
      url: URL_OF,
      types: ["*"],
      batch: false,
      description: "Orders",
      state: "active",
      acked: 0,
      last_error: null,
      next_at: null,
      created_at: ISO,
    };
    const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/u);
    expect([made.status, made.body]).toEqual([200, { success: true, webhook, secret }]);
    const id = made.body.webhook.webhook_id as string;
    expect((await hooks(world, "GET")).body).toEqual({ success: true, data: [webhook], has_more: false, next: null });
    expect((await hooks(world, "GET", `/${id}`)).body).toEqual({ success: true, webhook });
    const change = { types: ["message.*", "balance.low"], batch: true, url: "https://example.org/" };
    const changed = await hooks(world, "PATCH", `/${id}`, change);
    expect(changed.body).toEqual({ success: true, webhook: { ...webhook, ...change } });
    expect((await hooks(world, "PATCH", `/${id}`, { state: "disabled" })).body.webhook.state).toBe("disabled");
    expect((await hooks(world, "DELETE", `/${id}`)).body).toEqual({ success: true, deleted: 1 });
    expect((await hooks(world, "GET")).body.data).toEqual([]);
    expectFailure(await hooks(world, "GET", `/${id}`), 404, "not_found");
  });

  it("has at most ten", async () => {
    const world = await openWorld();
    for (let nth = 0; nth < 10; nth += 1) await makeWebhook(world);
    expectFailure(await hooks(world, "POST", "", { url: URL_OF }), 409, "too_many");
  });

  it.each([
    [{}, "url is required.", "url"],
    [{ url: 7 }, "url must be a string.", "url"],
    [{ url: "ftp://example.com" }, "url must begin with https://.", "url"],
    [{ url: URL_OF, types: [] }, "types must not be empty.", "types"],
    [
      { url: URL_OF, types: ["message.sent"] },
      "types must be event types, groups such as message.*, or *.",
      "types[0]",
    ],
    [{ url: URL_OF, batch: "yes" }, "batch must be true or false.", "batch"],
    [{ url: URL_OF, secret: "whsec_" }, "There is no field secret.", "secret"],
  ])("refuses %j", async (body, error, param) => {
    const reply = await hooks(await openWorld(), "POST", "", body);
    expectFailure(reply, 400, "invalid_request");
    expect(reply.body).toMatchObject({ error, param });
  });

  it("answers for another account's webhook, the other mode's and an unknown one alike: 404", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    const foreign = await makeWebhook(await openWorld());
    const test = await makeWebhook(await openWorld({ mode: "test" }));
    const asks: [string, string, unknown?][] = [
      ["GET", ""],
      ["PATCH", "", { batch: true }],
      ["DELETE", ""],
      ["POST", "/rotate", {}],
      ["POST", "/test"],
      ["GET", "/attempts"],
      ["POST", "/replay", { from: 1 }],
    ];
    const missing = { success: false, error: "There is no such webhook.", code: "not_found" };
    for (const [method, path, body] of asks) {
      for (const other of [foreign.id, test.id, "wh_0", `${id}0`]) {
        const reply = await hooks(world, method, `/${other}${path}`, body);
        expect([method, path, reply.status, reply.body]).toEqual([method, path, 404, expect.objectContaining(missing)]);
      }
    }
  });

  it("demands a key", async () => {
    for (const path of ["", "/verify", "/wh_1", "/wh_1/test", "/wh_1/replay", "/wh_1/rotate", "/wh_1/attempts"]) {
      const method = path === "" || path === "/wh_1" || path === "/wh_1/attempts" ? "GET" : "POST";
      expectFailure(await call(`http://console.localhost/v1/webhooks${path}`, { method }), 401, "unauthorized");
    }
  });

  it("posts a test, which has no number and is remembered", async () => {
    const world = await openWorld();
    const { id, secret } = await makeWebhook(world);
    const { got } = receive(() => 503);
    const { body } = await hooks(world, "POST", `/${id}/test`);
    const attempt = { seq: null, at: ISO, status: 503, ms: expect.any(Number), error: "http_503", answer: "said 503" };
    expect(body).toEqual({ success: true, attempt });
    if (!got[0]) throw new Error("nothing was posted");
    verify(secret, got[0]);
    expect(JSON.parse(got[0].body)).toEqual({ type: "test", timestamp: ISO, data: { webhook_id: id } });
    expect((await hooks(world, "GET", `/${id}/attempts?limit=1`)).body).toEqual({
      success: true,
      data: [attempt],
      has_more: false,
      next: null,
    });
    // It says nothing of events.
    expect((await hooks(world, "GET", `/${id}`)).body.webhook).toMatchObject({ state: "active", last_error: null });
  });

  it("lists attempts newest first, in pages, and keeps the newest 50", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    receive();
    for (let nth = 0; nth < 53; nth += 1) await hooks(world, "POST", `/${id}/test`);
    const first = (await hooks(world, "GET", `/${id}/attempts?limit=30`)).body;
    expect([first.data.length, first.has_more, first.next]).toEqual([30, true, "30"]);
    const rest = (await hooks(world, "GET", `/${id}/attempts?limit=30&after=${first.next}`)).body;
    expect([rest.data.length, rest.has_more, rest.next]).toEqual([20, false, null]);
  });

  it("refuses a replay without sense, and says how many it sends again", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world);
    receive();
    expectFailure(await hooks(world, "POST", `/${id}/replay`, {}), 400, "invalid_request");
    expectFailure(await hooks(world, "POST", `/${id}/replay`, { from: 3, to: 2 }), 400, "invalid_request");
    expect((await hooks(world, "POST", `/${id}/replay`, { from: 1 })).body).toEqual({ success: true, replayed: 0 });
    await hooks(world, "PATCH", `/${id}`, { state: "disabled" });
    expectFailure(await hooks(world, "POST", `/${id}/replay`, { from: 1 }), 400, "invalid_request");
  });

  it("says why a signature does not hold", async () => {
    const world = await openWorld();
    const { id, secret } = await makeWebhook(world);
    const { got } = receive();
    await hooks(world, "POST", `/${id}/test`);
    const [one] = got;
    if (!one) throw new Error("nothing was posted");
    const given = { headers: one.headers, body: one.body, secret };
    expect((await hooks(world, "POST", "/verify", given)).body).toEqual({ success: true, valid: true, reason: null });
    const spoilt = await hooks(world, "POST", "/verify", { ...given, body: `${one.body} ` });
    expect(spoilt.body).toMatchObject({ valid: false, reason: expect.stringContaining("Spaces") });
    expectFailure(await hooks(world, "POST", "/verify", { headers: [], body: "", secret }), 400, "invalid_request");
  });

  it("asks again at each delivery whether the address may be posted to", async () => {
    const world = await openWorld();
    const { id } = await makeWebhook(world, { url: "http://localhost:9/" });
    const { got } = receive();
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    await deliverAll(world, { ...env, ...DEPLOYED });
    expect(got).toHaveLength(0);
    expect((await hooks(world, "GET", `/${id}`)).body.webhook).toMatchObject({
      state: "waiting",
      last_error: "address_refused",
    });
  });

  it("shows no secret again", async () => {
    const world = await openWorld();
    const { id, secret } = await makeWebhook(world);
    for (const path of ["", `/${id}`, `/${id}/attempts`]) {
      const { text } = await call(`http://console.localhost/v1/webhooks${path}`, { headers: bearer(world.apiKey) });
      expect(text).not.toContain(secret);
    }
  });
});
