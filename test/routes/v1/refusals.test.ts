import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetRefusals } from "../../../src/accounts/forget-refusals.ts";
import { showKeyId } from "../../../src/crypto/api-key.ts";
import { insertRefused, refusedQuery } from "../../../src/db/requests/refused.ts";
import { fieldTypes } from "../../../src/http/field-types.ts";
import { REFUSED_KEPT_MS } from "../../../src/model/requests/refused.ts";
import { expectFailure } from "../../world/operating.ts";
import { refusedBy, refusedOf } from "../../world/refused.ts";
import { visit } from "../../world/visitor.ts";
import { bearer, call, openWorld, post, sendSms } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const AT = "http://console.localhost/v1/refusals";
const DAY_MS = 86_400_000;

const get = (world: World, query = ""): Promise<Reply> => call(AT + query, { headers: bearer(world.apiKey) });

const requestOf = (reply: Reply) => String(reply.headers.get("x-request-id"));

/** Waits until the log has this many requests of the account: they are noted after the reply. */
const noted = (world: World, count: number) =>
  vi.waitFor(async () => expect(await refusedOf(world.ref)).toHaveLength(count), { timeout: 10_000 });

beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("GET /v1/refusals", () => {
  it("lists what was refused, by whom it was refused, with the names and types of the fields", async () => {
    const world = await openWorld({ plan: "starter", balance: 0.5 });
    const atEdge = await sendSms(world, { body: { phone: "98765", message: "secret text", senderId: 7, extra: [1] } });
    await noted(world, 1);
    const byAccount = await sendSms(world, { body: { message: "secret text" } });
    await noted(world, 2);
    const broken = await post("http://sms.localhost/send-sms", "{", bearer(world.apiKey));
    await noted(world, 3);
    const { body, text } = await get(world);
    const shared = { at: expect.any(String), method: "POST", path: "/send-sms", key_id: showKeyId(world.keyId) };
    expect(body).toEqual({
      success: true,
      has_more: false,
      next: null,
      data: [
        {
          ...shared,
          request_id: requestOf(broken),
          status: 400,
          code: "invalid_json",
          param: null,
          error: broken.body.error,
          fields: {},
        },
        {
          ...shared,
          request_id: requestOf(byAccount),
          status: 403,
          code: "insufficient_balance",
          param: null,
          error: byAccount.body.error,
          fields: { phone: "string(10)", message: "string(11)" },
        },
        {
          ...shared,
          request_id: requestOf(atEdge),
          status: 400,
          code: "invalid_request",
          param: "phone",
          error: atEdge.body.error,
          fields: { phone: "string(5)", message: "string(11)", senderId: "number", extra: "list(1)" },
        },
      ],
    });
    expect(text).not.toMatch(/98765|secret/u);
  });

  it("notes 404, 422 and 429 of an account, and parameters where there is no body", async () => {
    const world = await openWorld({ plan: "starter" });
    const headers = { "idempotency-key": "order-1" };
    await sendSms(world, { headers });
    await sendSms(world, { headers, body: { message: "another" } });
    await noted(world, 1);
    await call("http://console.localhost/v1/messages/msg_x?q=1", { headers: bearer(world.apiKey) });
    await noted(world, 2);
    for (let sent = 0; sent < 10; sent += 1) await sendSms(world);
    await noted(world, 3);
    const rows = (await get(world)).body.data as { status: number; path: string; fields: unknown }[];
    expect(rows.map(({ status, path }) => `${status} ${path}`)).toEqual([
      "429 /send-sms",
      "404 /v1/messages/:id",
      "422 /send-sms",
    ]);
    expect(rows[1]?.fields).toEqual({ q: "string(1)" });
  });

  it("notes nothing of requests that succeed, that have no valid key, or whose key was revoked", async () => {
    const world = await openWorld();
    await sendSms(world);
    expect((await sendSms({ ...world, apiKey: `${world.apiKey.slice(0, -1)}!` })).status).toBe(401);
    expect((await post("http://sms.localhost/send-sms", { phone: "1" })).status).toBe(401);
    await world.stub.revokeKey(world.keyId);
    // Refused before the account is asked, which would say that the key is revoked.
    expect((await sendSms(world, { body: { phone: "1" } })).status).toBe(400);
    expect((await sendSms(world)).status).toBe(401);
    const other = await openWorld();
    await sendSms(other, { body: { phone: "1" } });
    await noted(other, 1);
    expect(await refusedOf(world.ref)).toEqual([]);
  });

  it("notes nothing of what a page of the console sends, which says itself what is wrong", async () => {
    const { visitor, world } = await visit();
    const form = { phone: "98765", message: "Hello", once: "once_1" };
    expect((await visitor.submit("/send/sms", form)).status).toBe(400);
    await sendSms(world, { body: { message: "" } });
    await noted(world, 1);
    expect((await refusedOf(world.ref)).map(({ param }) => param)).toEqual(["message"]);
  });

  it("keeps 30 of a flood in a minute, and one row for each", async () => {
    const world = await openWorld();
    for (let round = 0; round < 60; round += 1) await sendSms(world, { body: { phone: "1" } });
    await noted(world, 30);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    await sendSms(world, { body: { phone: "1" } });
    await noted(world, 31);
    const copy = `INSERT INTO refused_request
      SELECT day, account_id, mode, at + 1, request_id, method, path, status, code, param, error, key_id, fields
        FROM refused_request WHERE account_id = ? LIMIT 1`;
    const { meta } = await env.HISTORY_1.prepare(copy).bind(world.ref.accountId).run();
    expect(meta.rows_written).toBe(1);
  });

  it("lets the account bound what several isolates note, in a minute and in a day", async () => {
    const world = await openWorld();
    const admit = async (count: number) => (await world.stub.admitRefused(world.keyId, 1, count))?.admitted;
    vi.useFakeTimers({ toFake: ["Date"], now: Math.floor(Date.now() / DAY_MS) * DAY_MS });
    expect([await admit(20), await admit(20), await admit(1)]).toEqual([20, 10, 0]);
    let inDay = 30;
    for (let minute = 1; minute < 100; minute += 1) {
      vi.setSystemTime(Date.now() + 60_000);
      inDay += (await admit(30)) ?? 0;
    }
    expect(inDay).toBe(2_000);
    vi.setSystemTime(Date.now() + DAY_MS);
    expect(await admit(5)).toBe(5);
    expect(await world.stub.admitRefused(world.keyId ^ 1, 1, 1)).toBeNull();
  });

  it("fails no request where its database or the account is away", async () => {
    const world = await openWorld();
    vi.spyOn(env.HISTORY_1, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: away");
    });
    const logged: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
    expectFailure(await sendSms(world, { body: { phone: "1" } }), 400, "invalid_request", { param: "phone" });
    await vi.waitFor(() => expect(logged.join("\n")).toContain("request log"));
  });

  it("has one page after the other, newest first, of the last 7 days only", async () => {
    const world = await openWorld();
    const nowMs = Date.now();
    const times = Array.from({ length: 9 }, (_, at) => nowMs - at * DAY_MS + 1_000).filter((at) => at <= nowMs);
    const kept = times.filter((at) => at >= nowMs - REFUSED_KEPT_MS);
    await insertRefused(
      env.HISTORY_1,
      [...times, nowMs - 5, nowMs - 5].map((at) => refusedBy(world.ref, at)),
    );
    const seen: string[] = [];
    for (let query = "?limit=2"; ;) {
      const { status, body } = await get(world, query);
      expect(status).toBe(200);
      seen.push(...(body.data as { at: string }[]).map(({ at }) => at));
      if (!body.has_more) break;
      query = `?limit=2&after=${String(body.next)}`;
    }
    const wanted = [nowMs - 5, nowMs - 5, ...kept].toSorted((a, b) => b - a);
    expect(seen).toEqual(wanted.map((at) => new Date(at).toISOString()));
    for (const query of ["limit=0", "after=x", "after=1"]) {
      const param = query.split("=")[0] ?? "";
      expectFailure(await get(world, `?${query}`), 400, "invalid_request", { param });
    }
  });

  it("reads a page along the key of its table, and sorts nothing", async () => {
    const query = refusedQuery(
      env.HISTORY_1,
      { accountId: "acc_x", mode: "live" },
      { at: Date.now(), requestId: "r" },
      { limit: 3, nowMs: Date.now() },
    );
    const { sql, params } = query.toSQL();
    const plan = await env.HISTORY_1.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const detail = plan.results.map((row) => row.detail).join("; ");
    expect(detail).toMatch(/USING PRIMARY KEY \(day=\? AND account_id=\? AND mode=\? AND/u);
    expect(detail).not.toContain("TEMP B-TREE");
  });

  it("shows an account its own, in the key's mode", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    await insertRefused(env.HISTORY_1, [
      refusedBy(world.ref, Date.now()),
      refusedBy({ ...world.ref, mode: "test" }, Date.now()),
    ]);
    expect((await get(world)).body.data).toHaveLength(1);
    expect((await get(other)).body.data).toEqual([]);
    expectFailure(await call(AT), 401, "unauthorized");
  });

  it("is forgotten by the periodic work, whole days at a time", async () => {
    const world = await openWorld();
    const nowMs = Date.now();
    await insertRefused(
      env.HISTORY_1,
      [0, 6, 9, 12].map((days) => refusedBy(world.ref, nowMs - days * DAY_MS)),
    );
    await forgetRefusals(env, nowMs);
    expect((await refusedOf(world.ref)).map(({ at }) => Number(at))).toEqual([nowMs - 6 * DAY_MS, nowMs]);
  });
});

describe("names and types of fields", () => {
  it("have no value in them, also where a name is one", () => {
    const types = fieldTypes({
      phone: "98765",
      flag: true,
      rate: 1.5,
      none: null,
      list: [1, 2],
      more: { a: 1 },
      "9876543210": 1,
      code482913: 1,
      "a b": 1,
      ["x".repeat(41)]: 1,
      नाम: 1,
    });
    expect(types).toEqual({
      phone: "string(5)",
      flag: "boolean",
      rate: "number",
      none: "null",
      list: "list(2)",
      more: "object(1)",
      "(others)": "5",
    });
  });

  it("are at most 20, and none of what is no object", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, at]));
    expect(Object.keys(fieldTypes(many))).toHaveLength(21);
    expect(fieldTypes(many)).toMatchObject({ "(others)": "10" });
    for (const value of [null, [1], "x", 1, undefined]) expect(fieldTypes(value)).toEqual({});
  });
});
