import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messageId } from "../../../src/crypto/ids.ts";
import { expectFailure } from "../../world/operating.ts";
import {
  balanceOf,
  bearer,
  call,
  claim,
  dispatch,
  ledgerOf,
  messagesOf,
  openWorld,
  operator,
  post,
  recordHistory,
  sendSms,
} from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const CONSOLE = "http://console.localhost/v1";
const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2027, 0, 4, 6);
const COIN = 10_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const inHours = (hours: number) => new Date(NOW + hours * HOUR_MS).toISOString();

const cancel = (world: World, path: string, headers = {}): Promise<Reply> =>
  call(`${CONSOLE}${path}`, { method: "DELETE", headers: { ...bearer(world.apiKey), ...headers } });

/** The path of the account's newest request's first message. */
async function messageOf(world: World): Promise<string> {
  const messages = await messagesOf(world);
  const newest = messages.find(({ requestId }) => requestId === messages.at(-1)?.requestId);
  if (!newest) throw new Error("nothing was sent");
  return `/messages/${messageId(env.KEY_SECRET, world.ref, newest.operation, newest)}`;
}

const requestOf = (reply: Reply) => `/requests/${String(reply.headers.get("x-request-id"))}`;

const later = (world: World, more: object = {}) => sendSms(world, { body: { sendAt: inHours(2), ...more } });

function bulk(world: World, count: number, more: object = {}): Promise<Reply> {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));
  const body = { recipients, message: "Hi", sendAt: inHours(2), ...more };
  return post("http://sms.localhost/send-bulk-sms", body, bearer(world.apiKey));
}

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

describe("DELETE /v1/messages/:id", () => {
  it("cancels a scheduled message, refunds it once, and answers the same when it is repeated", async () => {
    const world = await openWorld({ balance: 10 });
    await later(world);
    expect(await balanceOf(world)).toBe(9 * COIN);
    const first = await cancel(world, await messageOf(world));
    expect([first.status, first.body]).toEqual([200, { success: true, cancelled: 1, refunded: 1 }]);
    const again = await cancel(world, await messageOf(world), { "idempotency-key": "once" });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await balanceOf(world)).toBe(10 * COIN);
    expect((await ledgerOf(world)).map(({ type, amount }) => [type, amount])).toEqual([
      ["credit", 10 * COIN],
      ["debit", -COIN],
      ["refund", COIN],
    ]);
    expect(await messagesOf(world)).toMatchObject([{ state: "cancelled", refunded: true, errorCode: null }]);
    // Nothing is left that could be claimed when its time comes.
    vi.setSystemTime(NOW + 3 * HOUR_MS);
    expect(await claim(world)).toEqual([]);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("cancels a message that waits in its queue, and none that is claimed, sent or over", async () => {
    const world = await openWorld({ mode: "test" });
    const waiting = await bulk(world, 3, { sendAt: null });
    const [first, ...others] = await messagesOf(world);
    const [job] = await claim(world, { lane: "bulk", max: 1 });
    expect(job?.messages).toMatchObject([{ index: 0 }]);
    expectFailure(await cancel(world, await messageOf(world)), 409, "too_late");
    const news = { kind: "outcome" as const, seq: first?.seq ?? 0, index: 0, attempt: 1 };
    await world.stub.report([{ ...news, outcome: { kind: "submitted" } }], false);
    expectFailure(await cancel(world, await messageOf(world)), 409, "too_late");
    const rest = await cancel(world, requestOf(waiting));
    expect(rest.body).toEqual({ success: true, cancelled: others.length, refunded: others.length });
    expect(await statesOf(world)).toEqual(["submitted", "cancelled", "cancelled"]);
  });

  it("cancels a message whose claim was given back unused", async () => {
    const world = await openWorld({ mode: "test" });
    await later(world);
    vi.setSystemTime(NOW + 2 * HOUR_MS);
    const [job] = await claim(world);
    expectFailure(await cancel(world, await messageOf(world)), 409, "too_late");
    const news = { kind: "outcome" as const, seq: job?.seq ?? 0, index: 0, attempt: 1 };
    await world.stub.report([{ ...news, outcome: { kind: "released" } }], false);
    expect((await cancel(world, await messageOf(world))).body).toMatchObject({ cancelled: 1 });
  });

  it("answers one 404 for what another account, the other mode or no one has sent", async () => {
    const [mine, other] = [await openWorld(), await openWorld()];
    const test = await openWorld({ mode: "test" });
    for (const world of [other, test, mine]) await later(world);
    const [theirs, tried, own] = [await messageOf(other), await messageOf(test), await messageOf(mine)];
    const forged = `${own.slice(0, -1)}${own.endsWith("A") ? "B" : "A"}`;
    const replies = [theirs, tried, forged, "/messages/msg_x", "/messages/1"].map((path) => cancel(mine, path));
    for (const reply of await Promise.all(replies)) expectFailure(reply, 404, "not_found");
    const bodies = new Set((await Promise.all(replies)).map(({ body }) => body.error));
    expect(bodies.size).toBe(1);
    expect([await statesOf(other), await statesOf(test)]).toEqual([["scheduled"], ["scheduled"]]);
  });

  it("is refused without a key, and to a suspended account", async () => {
    const world = await openWorld();
    await later(world);
    expectFailure(await call(`${CONSOLE}${await messageOf(world)}`, { method: "DELETE" }), 401, "unauthorized");
    await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "suspended" });
    expectFailure(await cancel(world, await messageOf(world)), 403, "account_suspended");
    expect(await statesOf(world)).toEqual(["scheduled"]);
  });
});

describe("DELETE /v1/requests/:request_id", () => {
  it("cancels 10,000 messages in one transaction, and answers the same when it is repeated", async () => {
    const world = await openWorld({ balance: 20_000 });
    const sent = await bulk(world, 10_000);
    expect(await balanceOf(world)).toBe(10_000 * COIN);
    const taken = { success: true, cancelled: 10_000, refunded: 10_000 };
    expect((await cancel(world, requestOf(sent))).body).toEqual(taken);
    expect((await cancel(world, requestOf(sent))).body).toEqual(taken);
    expect(await balanceOf(world)).toBe(20_000 * COIN);
    expect(new Set(await statesOf(world))).toEqual(new Set(["cancelled"]));
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("counts what was cancelled before, and leaves what was sent", async () => {
    const world = await openWorld({ mode: "test" });
    const sent = await bulk(world, 150, { sendAt: null });
    expect((await cancel(world, await messageOf(world))).body).toMatchObject({ cancelled: 1, refunded: 1 });
    await claim(world, { lane: "bulk", max: 40 });
    expect((await cancel(world, requestOf(sent))).body).toMatchObject({ cancelled: 110, refunded: 110 });
    expect(Map.groupBy(await statesOf(world), (state) => state).get("sending")).toHaveLength(40);
    expect((await cancel(world, requestOf(sent))).body).toMatchObject({ cancelled: 110, refunded: 110 });
  });

  it("is too late once all of it was sent, also for what history alone has", async () => {
    const world = await openWorld({ mode: "test" });
    const sent = await sendSms(world);
    const seqs = (await messagesOf(world)).map(({ seq }) => seq);
    await dispatch(world, seqs);
    expectFailure(await cancel(world, requestOf(sent)), 409, "too_late");
    await recordHistory(world, seqs);
    expectFailure(await cancel(world, requestOf(sent)), 409, "too_late");
  });

  it("finds a request months after it was ordered, among others", async () => {
    const world = await openWorld();
    const sent = await bulk(world, 120, { sendAt: inHours(170 * 24) });
    for (let day = 1; day <= 5; day += 1) {
      vi.setSystemTime(NOW + day * 30 * 24 * HOUR_MS);
      await sendSms(world);
    }
    expect((await cancel(world, requestOf(sent))).body).toMatchObject({ cancelled: 120 });
  });

  it("answers one 404 for another account's, the other mode's and unknown ids", async () => {
    const [mine, other] = [await openWorld(), await openWorld()];
    const theirs = await later(other);
    const balance = await call("http://sms.localhost/account-balance", { headers: bearer(mine.apiKey) });
    for (const path of [requestOf(theirs), requestOf(balance), "/requests/req_x", "/requests/x"]) {
      const reply = await cancel(mine, path);
      expectFailure(reply, 404, "not_found");
      expect(reply.body.error).toBe("There is no such request.");
    }
    expect(await statesOf(other)).toEqual(["scheduled"]);
  });
});
