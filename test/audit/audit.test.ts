import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forgetOldActs } from "../../src/audit/trail.ts";
import { insertAct } from "../../src/db/audit.ts";
import type { RecordedAct } from "../../src/model/audit.ts";
import { callWith } from "../world/deployment.ts";
import { openAccount } from "../world/operating.ts";
import { atTheDesk } from "../world/operators.ts";
import { securityLines } from "../world/security-lines.ts";
import { codeFor, freshNumber, from, signInByPhone } from "../world/people.ts";
import { bearer, openWorld, operator, sendSms } from "../world/world.ts";
import { CONSOLE, visit } from "../world/visitor.ts";

// What the audit trail holds, by the pages and the API that write it.

afterEach(() => vi.restoreAllMocks());

type Row = Record<string, unknown>;

/** The recorded acts of an account, oldest first. */
async function actsOf(accountId: string): Promise<Row[]> {
  const { body, text, status } = await operator("GET", `/operator/audit?account=${accountId}&limit=500`);
  expect(status, text).toBe(200);
  return body.data as Row[];
}

const namesOf = async (accountId: string) => (await actsOf(accountId)).map(({ action }) => action);

const idsOf = (rows: unknown[]) => rows.map((row) => (row as { id: string }).id);

describe("the audit trail", () => {
  it("holds what an operator does to an account, with the actor, the request and the MAC of the address", async () => {
    const world = await openWorld({ plan: "starter" });
    const { accountId } = world.ref;
    const desk = await atTheDesk();
    const page = `/desk/accounts/${accountId}`;
    const address = from("203.0.113.77");
    const credited = await desk.submit(
      `${page}/credits`,
      { mode: "live", amount: "5", reference: "inv 1", note: "a favour" },
      address,
    );
    await desk.submit(`${page}/credits`, { mode: "live", amount: "-2.5", reference: "inv 2" }, address);
    await desk.submit(`${page}/standing`, { status: "suspended" });
    await desk.submit(`${page}/standing`, { status: "active" });
    await desk.submit(`${page}/standing`, { plan: "business" });
    await desk.submit(`${page}/standing`, { otpRate: "0.12" });
    const acts = await actsOf(accountId);
    expect(acts.map(({ action, subject, details }) => [action, subject, details])).toEqual([
      ["money.credited", "inv 1", { amount: 5, mode: "live", note: "a favour" }],
      ["money.adjusted", "inv 2", { amount: -2.5, mode: "live" }],
      ["account.suspended", null, {}],
      ["account.activated", null, {}],
      ["account.plan", null, { plan: "business" }],
      ["account.rate", null, { rate: 0.12 }],
    ]);
    const [first, second, third] = acts;
    expect(first).toMatchObject({
      actor_kind: "operator",
      actor: "token",
      request_id: credited.headers.get("x-request-id"),
    });
    expect(first?.["address"]).toMatch(/^[\w-]{12}$/u);
    expect(second?.["address"]).toBe(first?.["address"]);
    expect(third?.["address"]).toBeNull();
    expect(JSON.stringify(await env.DB.prepare("SELECT * FROM audit").all())).not.toContain("203.0.113.77");
  });

  it("holds an act once, however often it is repeated, and after an interruption the repetition adds it", async () => {
    const { accountId } = await openAccount({ balance: 3 }, { "idempotency-key": crypto.randomUUID() });
    const credit = () => operator("POST", `/operator/accounts/${accountId}/credits`, { amount: 5, reference: "twice" });
    for (let times = 0; times < 3; times += 1) await credit();
    expect(await namesOf(accountId)).toEqual(["account.opened", "money.credited"]);
    await env.DB.prepare("DELETE FROM audit WHERE account_id = ?").bind(accountId).run();
    await credit();
    expect(await namesOf(accountId)).toEqual(["money.credited"]);
  });

  it("holds what a customer does, without codes, passwords, keys or whole numbers", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    const row = await env.DB.prepare("SELECT account_id FROM person WHERE phone = ?").bind(`+91${number}`).first();
    const accountId = String(row?.["account_id"]);
    const made = await visitor.submit("/keys", { name: "shop", once: crypto.randomUUID() });
    const [, apiKey = ""] = /value="(dsk_[^"]+)"/u.exec(made.text) ?? [];
    const { body } = await operator("GET", `/operator/accounts/${accountId}/keys`);
    const [{ key_id: keyId } = { key_id: "" }] = (body.data as { name: string; key_id: string }[]).filter(
      ({ name }) => name === "shop",
    );
    await visitor.submit(`/keys/${keyId}/show`);
    await visitor.submit(`/keys/${keyId}/revoke`);
    const email = `asha-${number}@example.com`;
    await visitor.submit("/settings/login", { email, password: "correct horse battery" });
    await visitor.submit("/settings/name", { name: "Asha" });
    await visitor.submit("/settings/buyer", {
      buyer_name: "Asha & Co",
      buyer_address: "1 Main Road",
      buyer_state: "07",
    });
    const next = freshNumber();
    await visitor.submit("/settings/phone", { phone: next });
    const code = await codeFor(`+91${next}`);
    await visitor.submit("/settings/phone/code", { code });
    await visitor.submit("/sign-out");
    const acts = await actsOf(accountId);
    expect(acts.map(({ action }) => action)).toEqual([
      "account.opened",
      "session.started",
      "key.made",
      "key.shown",
      "key.revoked",
      "person.email",
      "person.password",
      "person.name",
      "person.buyer",
      "person.phone",
      "session.ended",
    ]);
    expect(new Set(acts.map(({ actor_kind: kind }) => kind))).toEqual(new Set(["customer"]));
    expect(acts[9]?.["details"]).toEqual({ from: `…${number.slice(-4)}`, to: `…${next.slice(-4)}` });
    const text = JSON.stringify(acts);
    expect(apiKey).not.toBe("");
    for (const secret of [apiKey, code, number, next, email, "correct horse", visitor.cookies.get("device") ?? "?"]) {
      expect(text).not.toContain(secret);
    }
  });

  it("holds payments, as acts of the provider", async () => {
    const { visitor, world } = await visit();
    const ordered = await visitor.submit("/billing/orders", { plan: "business", once: crypto.randomUUID() });
    const pay = ordered.headers.get("location") ?? "";
    const id = pay.split("/").at(-1) ?? "";
    for (const twice of ["on", "on"]) await visitor.submit(pay, { outcome: "success", twice });
    const acts = await actsOf(world.ref.accountId);
    expect(acts.map(({ action, actor, subject }) => [action, actor === "sandbox", subject])).toEqual([
      ["order.made", false, id],
      ["order.paid", true, id],
    ]);
  });

  it("gets no row from what the API sends, and none from what is refused", async () => {
    const world = await openWorld({ balance: 1 });
    const { accountId } = world.ref;
    for (let times = 0; times < 3; times += 1) await sendSms(world);
    await operator("POST", `/operator/accounts/${accountId}/credits`, { amount: -50, reference: "too much" });
    await operator("DELETE", `/operator/accounts/${accountId}/keys/key_0000001`);
    expect(await namesOf(accountId)).toEqual([]);
  });

  it("does not hold up an act while D1 is away: the line in the log has it all", async () => {
    const world = await openWorld({ balance: 1 });
    const { accountId } = world.ref;
    const away = {
      prepare: () => {
        throw new Error("D1_ERROR: away");
      },
    };
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const path = `${CONSOLE}/operator/accounts/${accountId}/credits`;
    const init = {
      method: "POST",
      headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": "application/json", ...from("203.0.113.78") },
      body: JSON.stringify({ amount: 7, reference: "while away" }),
    };
    const lines = await securityLines(async () => {
      expect((await callWith({ DB: away as unknown as D1Database }, path, init)).status).toBe(200);
    });
    expect(await world.stub.view()).toMatchObject({ balance: 80_000 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      act: "money.credited",
      account: accountId,
      subject: "while away",
      recorded: false,
    });
    expect(JSON.parse(String(lines[0]?.["details"]))).toMatchObject({ amount: 7 });
    // The same request again adds the row.
    expect((await callWith({}, path, init)).status).toBe(200);
    expect(await namesOf(accountId)).toEqual(["money.credited"]);
  });

  it("is read in pages, in both directions, without a gap, among acts of one millisecond too", async () => {
    const world = await openWorld();
    const { accountId } = world.ref;
    const act = (at: number): RecordedAct => ({
      id: `act_${accountId}_${String((at * 7) % 60).padStart(2, "0")}`,
      at: 1_000 + Math.floor(at / 4),
      actorKind: "service",
      actor: "test",
      accountId,
      action: "person.name",
      subject: String(at),
      details: {},
      address: null,
      requestId: null,
      session: null,
    });
    for (let at = 0; at < 60; at += 1) await insertAct(env.DB, act(at));
    const whole = idsOf(await actsOf(accountId));
    expect(new Set(whole).size).toBe(60);
    const parts: string[] = [];
    for (let after = ""; ;) {
      const { body } = await operator("GET", `/operator/audit?account=${accountId}&limit=7${after}`);
      parts.push(...idsOf(body.data as unknown[]));
      expect(body.has_more).toBe(body.next !== null);
      if (body.next === null) break;
      after = `&after=${String(body.next)}`;
    }
    expect(parts).toEqual(whole);
    const desk = await atTheDesk();
    const subjects: string[] = [];
    let href: string | undefined = `/desk/audit?account=${accountId}`;
    while (href !== undefined) {
      const { text } = await desk.get(href);
      subjects.push(...[...text.matchAll(/<bdi class="dim">(\d+)<\/bdi>/gu)].map(([, subject = ""]) => subject));
      href = /href="([^"]*before=[^"]*)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(subjects).toHaveLength(60);
    expect(subjects.map(Number).map((at) => act(at).id)).toEqual(whole.toReversed());
  });

  it("forgets old sign-ins, and nothing else", async () => {
    const { ref } = await openWorld();
    const base = { actorKind: "customer", actor: "psn", accountId: ref.accountId, subject: null, details: {} } as const;
    const more = { address: null, requestId: null, session: null };
    const nowMs = Date.now();
    const [old, recent] = [nowMs - 401 * 86_400_000, nowMs - 399 * 86_400_000];
    const acts = [
      ["session.started", old],
      ["session.started", recent],
      ["money.credited", old],
    ] as const;
    for (const [n, [action, at]] of acts.entries()) {
      await insertAct(env.DB, { id: `old_${ref.accountId}_${n}`, at, action, ...base, ...more });
    }
    await forgetOldActs(env, nowMs);
    expect(await namesOf(ref.accountId)).toEqual(["money.credited", "session.started"]);
  });
});
