import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openCustomer } from "../../src/accounts/open.ts";
import { configOf } from "../../src/config/config.ts";
import { erasureOf, moveErasure } from "../../src/db/leaving.ts";
import { listAccounts } from "../../src/db/account-list.ts";
import { recordGroups } from "../../src/db/history.ts";
import { SWEEP_AGAIN_MS, advance, carryErasures } from "../../src/leaving/advance.ts";
import { closeAccount, eraseAccount, keepAccount } from "../../src/leaving/closing.ts";
import type { ClosingAsked } from "../../src/leaving/closing.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { codeSenderRef } from "../../src/sign-in/code-sender.ts";
import { NOTHING, carryOut, fullAccount, remainsOf, worldOf } from "../world/leaving.ts";
import { openAccount } from "../world/operating.ts";
import { dispatch, sendSms } from "../world/world.ts";

// Erasures as the periodic work carries them out: complete, whatever interrupts them and whatever comes at the same time.

const DAY_MS = 86_400_000;

/** Closes an account that gives its whole balance up. */
async function close(accountId: string, more: Partial<ClosingAsked> = {}) {
  const { stub } = worldOf({ accountId, apiKey: "" });
  const balance = (await stub.view())?.balance ?? 0;
  const closed = await closeAccount(env, { accountId, by: "customer", givesUp: balance, ...more });
  if (!closed.ok) throw new Error(closed.reason);
  return closed.row;
}

/** The environment of an invocation that dies at its nth call to a binding: that call and all later ones fail. */
function dyingAt(nth: number): { at: Env; calls: () => number } {
  let calls = 0;
  const count = () => {
    calls += 1;
    if (calls >= nth) throw new Error("the invocation died");
  };
  const counting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name) {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          count();
          return (value as (...args: unknown[]) => unknown).apply(of, args);
        };
      },
    });
  const { DB, RECORDINGS, ACCOUNT, INBOX } = env;
  const at = {
    ...env,
    DB: counting(DB),
    RECORDINGS: counting(RECORDINGS),
    ACCOUNT: counting(ACCOUNT),
    INBOX: counting(INBOX),
  };
  return { at, calls: () => calls };
}

describe("an erasure", () => {
  it("deletes what there is in every place, and nothing of another account", async () => {
    const [mine, other] = [await fullAccount("Mine"), await fullAccount("Other")];
    const before = await remainsOf(other.accountId);
    expect(before).toEqual({ objects: 2, files: 4, inbox: 1, groups: 2, refused: 2, listed: 2, waits: 1, letters: 1 });
    expect(await remainsOf(mine.accountId)).toEqual(before);
    await close(mine.accountId, { graceDays: 0 });
    expect(await carryOut(mine.accountId)).toBe("erased");
    expect(await remainsOf(mine.accountId)).toEqual(NOTHING);
    expect(await remainsOf(other.accountId)).toEqual(before);
    const entry = await env.DB.prepare("SELECT details FROM audit WHERE account_id = ? AND action = 'money.adjusted'")
      .bind(mine.accountId)
      .first<string>("details");
    expect(JSON.parse(entry ?? "{}")).toMatchObject({ reference: "given up at closing" });
  });

  it("is complete wherever the run before it died", { timeout: 120_000 }, async () => {
    let died = 0;
    for (let nth = 1; ; nth += 5) {
      const { accountId } = await fullAccount(`Dies ${nth}`);
      const row = await close(accountId, { graceDays: 0 });
      const { at, calls } = dyingAt(nth);
      const nowMs = row.closesAt + 1;
      const done = await advance(at, accountId, nowMs).then(
        () => true,
        () => false,
      );
      if (!done) died += 1;
      expect(await carryOut(accountId)).toBe("erased");
      expect(await remainsOf(accountId)).toEqual(NOTHING);
      if (calls() < nth) break;
    }
    expect(died).toBeGreaterThan(4);
  });

  it("is continued by the next run where one has too much to do", async () => {
    const { accountId } = await openAccount({ name: "Large", balance: 0 });
    // More acts with something personal in them than one run changes.
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
       INSERT INTO audit (id, at, actor_kind, actor, account_id, action, details)
       SELECT ?1 || i, i, 'customer', 'psn_x', ?1, 'key.made', '{"name":"secret project"}' FROM n`,
    )
      .bind(accountId)
      .run();
    const named = () =>
      env.DB.prepare("SELECT count(*) AS n FROM audit WHERE account_id = ? AND details LIKE '%secret%'")
        .bind(accountId)
        .first("n");
    const row = await close(accountId, { graceDays: 0 });
    expect(await advance(env, accountId, row.closesAt)).toMatchObject({ state: "erasing" });
    expect(Number(await named())).toBeGreaterThan(0);
    expect(await advance(env, accountId, row.closesAt)).toMatchObject({ state: "sweeping" });
    expect(await named()).toBe(0);
  });

  it("waits while something is in its way, and says what", async () => {
    const { accountId, apiKey } = await openAccount({ name: "Waits", balance: 5 });
    const world = worldOf({ accountId, apiKey });
    await sendSms(world);
    const row = await close(accountId, { graceDays: 0 });
    expect(await advance(env, accountId, row.closesAt)).toMatchObject({ state: "closing", hindrance: "open_messages" });
    await dispatch(world);
    // Nothing happens before it is looked at again.
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "failed" }], false);
    expect(await advance(env, accountId, row.closesAt + 1)).toMatchObject({ hindrance: "open_messages" });
    expect(await advance(env, accountId, row.closesAt + DAY_MS)).toMatchObject({ state: "sweeping", hindrance: null });
    // The refund of the message that failed was given up with the rest.
    expect(await world.stub.view()).toBeNull();
  });

  it("does not give up more than was named", async () => {
    const { accountId, apiKey } = await openAccount({ name: "More", balance: 5 });
    const row = await close(accountId, { graceDays: 0 });
    const { stub } = worldOf({ accountId, apiKey });
    await stub.credit({ amount: UNITS_PER_COIN, reference: "late", requestId: "req_1" });
    expect(await advance(env, accountId, row.closesAt)).toMatchObject({ state: "closing", hindrance: "balance" });
    expect((await stub.view())?.balance).toBe(6 * UNITS_PER_COIN);
  });

  it("deletes in a second pass what invocations that were under way wrote after the first", async () => {
    const { accountId } = await fullAccount("Late");
    const { stub } = worldOf({ accountId, apiKey: "" });
    const [records, row] = [await stub.records([2], true), await close(accountId, { graceDays: 0 })];
    expect(await advance(env, accountId, row.closesAt)).toMatchObject({ state: "sweeping" });
    expect(await remainsOf(accountId)).toEqual(NOTHING);
    // A consumer of history had read before the erasure, and an upload was stored after it.
    const ref = { accountId, mode: "live" } as const;
    await recordGroups(env.HISTORY_1, [{ ...ref, groups: records?.groups ?? [], keptFrom: undefined }]);
    if (records?.profile) await listAccounts(env.DB, [{ ...ref, profile: records.profile }]);
    await env.RECORDINGS.put(`${accountId}/late`, "bytes");
    expect(await remainsOf(accountId)).toMatchObject({ groups: 1, listed: 1, files: 1 });
    expect(await advance(env, accountId, row.closesAt + SWEEP_AGAIN_MS - 1)).toMatchObject({ state: "sweeping" });
    expect(await advance(env, accountId, row.closesAt + SWEEP_AGAIN_MS)).toMatchObject({
      state: "erased",
      checkAt: null,
    });
    expect(await remainsOf(accountId)).toEqual(NOTHING);
  });

  it("takes the sound of spoken texts with it", async () => {
    const { accountId } = await fullAccount("Spoken");
    const folders = [`speech/${accountId}/`, `speech/${accountId}.test/`];
    for (const folder of folders) await env.RECORDINGS.put(`${folder}${"0".repeat(64)}`, "sound");
    await close(accountId, { graceDays: 0 });
    expect(await carryOut(accountId)).toBe("erased");
    for (const prefix of folders) expect((await env.RECORDINGS.list({ prefix })).objects).toEqual([]);
  });

  it("is done once by several runs at the same moment", async () => {
    const { accountId } = await fullAccount("Often");
    const row = await close(accountId, { graceDays: 0 });
    await Promise.all([1, 2, 3].map(() => advance(env, accountId, row.closesAt)));
    expect(await carryOut(accountId)).toBe("erased");
    expect(await remainsOf(accountId)).toEqual(NOTHING);
    const acts =
      "SELECT count(*) AS n FROM audit WHERE account_id = ? AND action IN ('money.adjusted', 'account.erased')";
    expect(await env.DB.prepare(acts).bind(accountId).first("n")).toBe(2);
  });

  it("of an account is not asked for again: erasing it twice changes nothing", async () => {
    const { accountId } = await fullAccount("Twice", 1);
    const asked = { accountId, by: "operator", givesUp: null } as const;
    expect(await eraseAccount(env, asked)).toMatchObject({ ok: true, row: { state: "sweeping" } });
    const row = await erasureOf(env.DB, accountId);
    expect(await eraseAccount(env, asked)).toEqual({ ok: true, row });
    expect(await closeAccount(env, asked)).toEqual({ ok: false, reason: "unknown" });
    expect(await keepAccount(env, accountId)).toBe(false);
  });
});

describe("a closing", () => {
  it("is begun by the housekeeping when its days are over, and not before", async () => {
    const { accountId, apiKey } = await openAccount({ name: "Days", balance: 0 });
    const row = await close(accountId);
    expect(row.closesAt - row.askedAt).toBe(14 * DAY_MS);
    await carryErasures(env, row.closesAt - 1);
    expect(await worldOf({ accountId, apiKey }).stub.view()).toMatchObject({ status: "closing" });
    await carryErasures(env, row.closesAt);
    expect(await worldOf({ accountId, apiKey }).stub.view()).toBeNull();
  });

  it("and a take-back at the last moment exclude each other", async () => {
    for (const first of ["keep", "erase", "keep", "erase"]) {
      const { accountId, apiKey } = await openAccount({ name: "Race", balance: 0 });
      const row = await close(accountId);
      const acts = [() => keepAccount(env, accountId), () => advance(env, accountId, row.closesAt)];
      if (first === "erase") acts.reverse();
      const done = await Promise.all(acts.map((act) => act()));
      const kept = done.includes(true);
      const world = worldOf({ accountId, apiKey });
      const view = await world.stub.view();
      expect(view?.status).toBe(kept ? "active" : undefined);
      expect((await erasureOf(env.DB, accountId))?.state).toBe(kept ? undefined : "sweeping");
      // Whichever came first, it stays so.
      expect(await carryOut(accountId)).toBe(kept ? undefined : "erased");
      expect((await world.stub.view())?.status).toBe(kept ? "active" : undefined);
    }
  });

  it("cannot be taken back once the erasure has begun", async () => {
    const { accountId } = await openAccount({ name: "Begun", balance: 0 });
    const row = await close(accountId);
    expect(await moveErasure(env.DB, row, ["closing"], { state: "erasing", checkAt: row.closesAt })).toBe(true);
    expect(await keepAccount(env, accountId)).toBe(false);
    expect(await moveErasure(env.DB, row, ["closing"], { state: "kept" })).toBe(false);
  });

  it("that was interrupted before the objects knew is completed, and so is a take-back", async () => {
    const { accountId, apiKey } = await openAccount({ name: "Cut", balance: 0 });
    const { stub } = worldOf({ accountId, apiKey });
    for (let nth = 1; ; nth += 1) {
      const { at, calls } = dyingAt(nth);
      await closeAccount(at, { accountId, by: "customer", givesUp: null }).catch(() => null);
      const row = await erasureOf(env.DB, accountId);
      await carryErasures(env, Date.now() + 3_600_000);
      // Either nothing was noted, or the account closes.
      expect((await stub.view())?.status).toBe(row ? "closing" : "active");
      expect((await erasureOf(env.DB, accountId))?.state).toBe(row ? "closing" : undefined);
      const keeping = dyingAt(nth);
      await keepAccount(keeping.at, accountId).catch(() => null);
      await carryErasures(env, Date.now() + 3_600_000);
      if ((await erasureOf(env.DB, accountId))?.state === "closing") await keepAccount(env, accountId);
      expect((await stub.view())?.status).toBe("active");
      expect(await erasureOf(env.DB, accountId)).toBeNull();
      if (calls() < nth) break;
    }
  });

  it("is refused for the account that sends codes, also once the secret that it was derived from is gone", async () => {
    const { accountId } = await codeSenderRef(env, configOf(env));
    await openCustomer(env, configOf(env), accountId, { name: "Codes" });
    const later = { ...env, KEY_SECRET: `2:${"another".repeat(6)}` };
    for (const at of [env, later]) {
      expect(await closeAccount(at, { accountId, by: "operator", givesUp: null })).toEqual({
        ok: false,
        reason: "own",
      });
      expect(await eraseAccount(at, { accountId, by: "operator", givesUp: null })).toEqual({
        ok: false,
        reason: "own",
      });
    }
  });

  it("is refused with another balance than the present one", async () => {
    const { accountId } = await openAccount({ name: "Own", balance: 2 });
    const asked = { accountId, by: "operator", givesUp: 1 } as const;
    expect(await closeAccount(env, asked)).toEqual({ ok: false, reason: "other_balance", balance: 2 * UNITS_PER_COIN });
    expect(await eraseAccount(env, { ...asked, givesUp: null })).toMatchObject({ ok: false, reason: "balance" });
    expect(await erasureOf(env.DB, accountId)).toBeNull();
  });
});
