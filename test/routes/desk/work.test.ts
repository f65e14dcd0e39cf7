import { createExecutionContext, createMessageBatch, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { consumeDead, deadLetters } from "../../../src/queues/dead.ts";
import { DEAD_LETTERS_MAX } from "../../../src/db/dead-letters.ts";
import { currentRateCard, writeRateCard } from "../../../src/sending/rate-card.ts";
import { openWorld, recordHistory, sendSms } from "../../world/world.ts";
import { atTheDesk } from "../../world/operators.ts";

afterEach(() => vi.restoreAllMocks());

describe("the rate card", () => {
  const CARD = { smsIndia: "1", smsAbroad: "5", ttsCall: "2", voiceCallPer30s: "2", countries: "" };

  afterEach(() => writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD));

  it("is saved as typed, and prices the next request", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const countries = "US 3\r\n\r\n+44   4\r\n KP -";
    const page = await desk.submit("/desk/rate-card", { ...CARD, smsIndia: "7", countries });
    expect(page.headers.get("location")).toBe("/desk/rate-card?done=saved");
    const smsByCountry = { US: 3, "+44": 4, KP: null };
    expect(await currentRateCard(env, createExecutionContext())).toEqual({
      ...DEFAULT_RATE_CARD,
      smsIndia: 7,
      smsByCountry,
    });
    expect((await sendSms(world)).body).toMatchObject({ coins_used: 7 });
    const shown = (await desk.get("/desk/rate-card")).text;
    expect(shown).toContain('value="7"');
    expect(shown).toContain("+44 4\nKP -\nUS 3</textarea>");
  });

  it.each([
    [{ smsIndia: "" }, "SMS to India, per segment: enter"],
    [{ smsIndia: "1.5" }, "SMS to India, per segment: enter"],
    [{ ttsCall: "-1" }, "TTS call: enter"],
    [{ voiceCallPer30s: "10001" }, "per 30 s: enter"],
    [{ countries: "US 3\nusa 4" }, "Line 2 of the countries"],
    [{ countries: "US" }, "Line 1 of the countries"],
    [{ countries: "US 10001" }, "Line 1 of the countries"],
    [{ countries: "US 3\nUS 4" }, "US is listed twice"],
    [{ countries: "<i>" }, "Line 1 of the countries"],
  ])("with %j is refused in one sentence", async (change, sentence) => {
    const desk = await atTheDesk();
    const page = await desk.submit("/desk/rate-card", { ...CARD, ...change });
    expect(page.status).toBe(400);
    expect(page.text).toContain(sentence);
    expect(page.text).not.toContain("<i>");
    expect(await currentRateCard(env, createExecutionContext())).toEqual(DEFAULT_RATE_CARD);
  });
});

describe("quarantined payments", () => {
  it("are listed with their reason until the operator resolves them", async () => {
    const desk = await atTheDesk();
    const eventId = `evt_${crypto.randomUUID()}`;
    await env.DB.prepare(
      `INSERT INTO payment_event (provider, event_id, order_id, kind, amount_paise, refunded_paise, currency, quarantined, received_at)
       VALUES ('sandbox', ?, '<script>ord', 'paid', 12345, 0, 'INR', 'The amount is <wrong>.', 1)`,
    )
      .bind(eventId)
      .run();
    const { text } = await desk.get("/desk/payments");
    const parts = [eventId, "₹123.45", "&lt;script&gt;ord", "The amount is &lt;wrong&gt;."];
    for (const part of parts) expect(text).toContain(part);
    expect(text).not.toContain("<script>ord");
    const form = { provider: "sandbox", event: eventId };
    const done = async () => (await desk.submit("/desk/payments", form)).headers.get("location");
    expect([await done(), await done()]).toEqual(["/desk/payments?done=resolved", "/desk/payments?done=gone"]);
    expect((await desk.get("/desk/payments")).text).not.toContain(eventId);
  });
});

/** Later than the dead letters of all other tests. */
const FAR_MS = Date.UTC(2200, 0);

const die = (id: string, body: unknown, at = new Date()) =>
  consumeDead(createMessageBatch("dastak-dead", [{ id, timestamp: at, attempts: 6, body }]), env);

const ids = async () => (await deadLetters(env, 2 * DEAD_LETTERS_MAX)).letters.map(({ id }) => id);

describe("dead letters", () => {
  it("are kept, listed, and sent to their queue again", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const follow = { kind: "follow", account: world.name, lane: "bulk", seqs: [2, 3] };
    const history = { account: world.name, seqs: [4], profile: true };
    const sent: unknown[] = [];
    vi.spyOn(env.BULK_LANE, "send").mockImplementation((body) => Promise.resolve(sent.push("bulk", body)) as never);
    vi.spyOn(env.HISTORY, "send").mockImplementation((body) => Promise.resolve(sent.push("history", body)) as never);
    await die("letter-1", follow);
    await die("letter-1", follow);
    await die("letter-2", history);
    expect((await desk.get("/desk/queues")).text).toContain(world.name);
    const act = async (id: string, what: string) =>
      (await desk.submit("/desk/queues/dead-letters", { id, do: what })).headers.get("location");
    expect(await act("letter-1", "retry")).toBe("/desk/queues?done=retried");
    expect(await act("letter-2", "retry")).toBe("/desk/queues?done=retried");
    expect(sent).toEqual(["bulk", follow, "history", history]);
    expect(await act("letter-1", "retry")).toBe("/desk/queues?done=gone");
    expect(await ids()).toEqual([]);
  });

  it("are deleted on the operator's request, and sent to no queue", async () => {
    const desk = await atTheDesk();
    const send = vi.spyOn(env.SINGLE_LANE, "send");
    await die("letter-3", { kind: "send", account: "acc_00000000000", lane: "single" });
    await desk.submit("/desk/queues/dead-letters", { id: "letter-3", do: "forget" });
    expect(await ids()).toEqual([]);
    expect(send).not.toHaveBeenCalled();
  });

  it("with an unknown body are stored without it, and can only be deleted", async () => {
    const desk = await atTheDesk();
    await die("letter-4", { secret: "4829" });
    const row = await env.DB.prepare("SELECT body FROM dead_letter WHERE id = 'letter-4'").first();
    expect(row).toEqual({ body: "null" });
    const { text } = await desk.get("/desk/queues");
    expect(text).toContain("not one of our jobs");
    expect(text).not.toContain(">Retry<");
    const page = await desk.submit("/desk/queues/dead-letters", { id: "letter-4", do: "retry" });
    expect(page.headers.get("location")).toBe("/desk/queues?done=gone");
  });

  it("are acknowledged even while D1 is unavailable", async () => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    const batch = createMessageBatch("dastak-dead", [{ id: "a", timestamp: new Date(), attempts: 6, body: {} }]);
    const ackAll = vi.spyOn(batch, "ackAll");
    const away = { batch: () => Promise.reject(new Error("away")), prepare: () => env.DB.prepare("SELECT 1") };
    await consumeDead(batch, { ...env, DB: away as unknown as D1Database });
    expect(ackAll).toHaveBeenCalledOnce();
    expect(told).toHaveBeenCalledOnce();
  });

  it("are limited to a thousand, and the oldest are deleted", async () => {
    const body = { kind: "send", account: "acc_00000000000", lane: "single" };
    const all = Array.from({ length: DEAD_LETTERS_MAX + 40 }, (_, n) => ({
      id: `many-${n}`,
      timestamp: new Date(FAR_MS + n),
      attempts: 6,
      body,
    }));
    vi.spyOn(console, "log").mockReturnValue();
    await consumeDead(createMessageBatch("dastak-dead", all), env);
    const kept = await ids();
    expect(kept).toHaveLength(DEAD_LETTERS_MAX);
    expect(kept[0]).toBe(`many-${DEAD_LETTERS_MAX + 39}`);
    expect(kept).not.toContain("many-39");
    await env.DB.prepare("DELETE FROM dead_letter WHERE id LIKE 'many-%'").run();
  });
});

describe("the queues", () => {
  it("show how many messages wait, if the runtime reports it", async () => {
    const desk = await atTheDesk();
    vi.spyOn(env.BULK_LANE, "metrics").mockResolvedValue({ backlogCount: 4_321, backlogBytes: 1 });
    vi.spyOn(env.HISTORY, "metrics").mockRejectedValue(new Error("not here"));
    vi.spyOn(console, "error").mockReturnValue();
    const { text } = await desk.get("/desk/queues");
    expect(text).toContain("4,321");
    expect(text).toContain("not available locally");
  });
});

describe("reconciliation", () => {
  it("reports that everything adds up", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    await sendSms(world);
    const page = await desk.get(`/desk/reconcile?run=1&account=${world.ref.accountId}`);
    expect(page.text).toContain("No differences");
  });

  it("shows a difference, in the twin as well, for one account and among all", async () => {
    const desk = await atTheDesk();
    const world = await openWorld({ mode: "test" });
    await runInDurableObject(world.stub, (_, state) => {
      state.storage.sql.exec("UPDATE ledger_entry SET balance_after = balance_after + 1");
    });
    const path = `/desk/reconcile?run=1&account=${world.ref.accountId}`;
    const { text } = await desk.get(path);
    expect(text).not.toContain("No differences");
    expect(text).toContain("recounted 10000000");
    expect(text).toContain(`/desk/accounts/${world.ref.accountId}?mode=test`);
    const live = await openWorld();
    await recordHistory(live, []);
    await runInDurableObject(live.stub, (_, state) => {
      state.storage.sql.exec("UPDATE ledger_entry SET balance_after = balance_after + 1");
    });
    expect((await desk.get("/desk/reconcile?run=1")).text).toContain(live.ref.accountId);
  });

  it("does not run before it is asked to, and answers 404 for an unopened account", async () => {
    const desk = await atTheDesk();
    expect((await desk.get("/desk/reconcile")).text).not.toContain("No differences");
    for (const account of ["acc_00000000000", "x"]) {
      const page = await desk.get(`/desk/reconcile?run=1&account=${account}`);
      expect(page.status).toBe(404);
      expect(page.text).toContain("Account not found");
    }
  });
});
