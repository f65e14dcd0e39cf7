import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { base62 } from "../../../src/crypto/base62.ts";
import { newRequestId } from "../../../src/crypto/ids.ts";
import { expectFailure } from "../../world/operating.ts";
import {
  bearer,
  call,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  post,
  recordHistory,
  sendSms,
} from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const AT = "http://console.localhost/v1/requests/";

const get = (world: World, path: string): Promise<Reply> => call(AT + path, { headers: bearer(world.apiKey) });

const requestOf = (reply: Reply) => String(reply.headers.get("x-request-id"));

async function bulk(world: World, recipients: string[]) {
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.status).toBe(200);
  return requestOf(reply);
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));

afterEach(() => vi.useRealTimers());

describe("GET /v1/requests/:request_id", () => {
  it("counts the states of a request, and lists its messages in their order", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world);
    const requestId = await bulk(world, ["7000000001", ...numbers(229), "7000000002"]);
    await sendSms(world);
    const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
    const queued = await get(world, requestId);
    expect(queued.body.request).toEqual({
      request_id: requestId,
      operation: "sms",
      at: expect.any(String),
      recipients: 231,
      by_state: { queued: 231 },
      cost: 231,
      refunded: 0,
    });
    for (let round = 0; round < 5; round += 1) await dispatch(world, seqs);
    await follow(world, seqs);
    const first = await get(world, `${requestId}?limit=150`);
    expect(first.body.request).toMatchObject({
      by_state: { failed: 1, delivered: 229, undelivered: 1 },
      cost: 231,
      refunded: 1,
    });
    expect(first.body).toMatchObject({ success: true, has_more: true });
    const second = await get(world, `${requestId}?limit=150&after=${String(first.body.next)}`);
    expect(second.body).toMatchObject({ has_more: false, next: null, request: first.body.request });
    const listed = [...first.body.data, ...second.body.data] as { to: string; request_id: string }[];
    expect(listed.map(({ to }) => to)).toEqual(
      (await messagesOf(world)).filter((row) => row.requestId === requestId).map(({ to }) => to),
    );
    expect(new Set(listed.map(({ request_id: id }) => id))).toEqual(new Set([requestId]));
    expect(first.body.data).toHaveLength(150);
  });

  it("finds a request among many, also where the clocks differ and where its body came late", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const startMs = Date.UTC(2026, 11, 1);
    vi.setSystemTime(startMs);
    const world = await openWorld();
    const caller = { keyId: world.keyId, content: {}, text: null, validityMs: 60_000, recipients: ["+919876543210"] };
    const order = { ...caller, operation: "sms" as const, price: { kind: "fixed" as const, units: 1 } };
    for (const lateMs of [-9_000, 0, 590_000]) {
      vi.setSystemTime(Date.now() + 86_400_000);
      const requestId = newRequestId(Date.now() - lateMs);
      await world.stub.send({ ...order, requestId });
      vi.setSystemTime(Date.now() + 86_400_000);
      expect((await get(world, requestId)).body.request).toMatchObject({ request_id: requestId, recipients: 1 });
    }
  });

  it("finds a request that was stored after its clock was set back by hours", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.UTC(2026, 11, 2));
    const world = await openWorld();
    for (let sent = 0; sent < 5; sent += 1) await sendSms(world);
    vi.setSystemTime(Date.now() - 2 * 3_600_000);
    const requestId = await bulk(world, numbers(230));
    await sendSms(world);
    expect((await get(world, requestId)).body.request).toMatchObject({ request_id: requestId, recipients: 230 });
    const taken = await call(AT + requestId, { method: "DELETE", headers: bearer(world.apiKey) });
    expect(taken.body).toMatchObject({ cancelled: 230, refunded: 230 });
  });

  it("finds a request whose id is from before ids had times", async () => {
    const world = await openWorld({ mode: "test" });
    await sendSms(world);
    await bulk(world, numbers(120));
    const spelled = `req_${base62(new Uint8Array(12).fill(0x80))}`;
    await runInDurableObject(world.stub, (_, state) =>
      state.storage.sql.exec("UPDATE job SET request_id = ? WHERE seq > 2", spelled),
    );
    await recordHistory(world, [2, 3, 4]);
    const found = await get(world, `${spelled}?limit=1`);
    expect(found.body.request).toMatchObject({ request_id: spelled, recipients: 120, cost: 120 });
    expect(found.body.data[0].to).toBe("+919000000000");
  });

  it("is known by the id of the first reply, also after a replay", async () => {
    const world = await openWorld();
    const headers = { "idempotency-key": "order-1" };
    const first = await sendSms(world, { headers });
    const again = await sendSms(world, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await get(world, requestOf(first))).status).toBe(200);
    expectFailure(await get(world, requestOf(again)), 404, "not_found");
  });

  it("answers another account's, the other mode's and unknown ids with the same bytes", async () => {
    const [world, other, test] = [await openWorld(), await openWorld(), await openWorld({ mode: "test" })];
    const foreign = [requestOf(await sendSms(other)), requestOf(await sendSms(test))];
    const refused = requestOf(await sendSms(world, { body: { phone: "1" } }));
    const texts = new Set<string>();
    for (const id of [
      ...foreign,
      refused,
      newRequestId(Date.now()),
      "req_x",
      "x",
      `req_${base62(new Uint8Array(12).fill(0x81))}`,
    ]) {
      const reply = await get(world, id);
      expectFailure(reply, 404, "not_found");
      texts.add(reply.text.replace(requestOf(reply), ""));
    }
    expect([...texts]).toHaveLength(1);
    for (const query of ["limit=0", "after=x"]) {
      const param = query.split("=")[0] ?? "";
      expectFailure(await get(world, `req_x?${query}`), 400, "invalid_request", { param });
    }
    expectFailure(await call(`${AT}req_x`), 401, "unauthorized");
  });

  it("reads each job of the request once, and no other, however much the account has sent", async () => {
    const world = await openWorld({ mode: "test", balance: 5_000 });
    for (let sent = 0; sent < 30; sent += 1) await sendSms(world);
    const requestId = await bulk(world, numbers(2_000));
    for (let sent = 0; sent < 30; sent += 1) await sendSms(world);
    const read = await runInDurableObject(world.stub, (account, { storage }) => {
      const rows: number[] = [];
      const exec = storage.sql.exec.bind(storage.sql);
      vi.spyOn(storage.sql, "exec").mockImplementation((query: string, ...more: unknown[]) => {
        if (query.startsWith("SELECT * FROM job")) rows.push(Number(more[0]));
        return exec(query, ...(more as SqlStorageValue[]));
      });
      const page = account.requestPage(requestId, { seq: 40 }, null, 5);
      vi.restoreAllMocks();
      expect(page?.messages).toHaveLength(5);
      expect(page?.request.recipients).toBe(2_000);
      return rows;
    });
    expect(read).toHaveLength(21);
    expect(new Set(read).size).toBe(21);
  });
});
