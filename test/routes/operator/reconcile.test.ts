import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { expectFailure, operatorSuite } from "../../world/operating.ts";
import { addDelivered } from "../../world/recount.ts";
import { openWorld, operator, recordHistory, sendSms } from "../../world/world.ts";

const recount = (account: string) => operator("GET", `/operator/reconcile?account=${account}`);

describe("GET /operator/reconcile", () => {
  operatorSuite("GET", "/operator/reconcile");

  it("finds nothing when everything adds up", async () => {
    const world = await openWorld();
    await sendSms(world);
    expect((await recount(world.ref.accountId)).body).toEqual({
      success: true,
      differences: [],
      has_more: false,
      next: null,
    });
  });

  it("finds a balance that was tampered with, in the twin too", async () => {
    for (const mode of ["live", "test"] as const) {
      const world = await openWorld({ mode });
      await runInDurableObject(world.stub, (_, state) => {
        state.storage.sql.exec("UPDATE ledger_entry SET balance_after = balance_after + 1");
      });
      const { differences } = (await recount(world.ref.accountId)).body;
      expect(differences[0]).toMatchObject({ account_id: world.ref.accountId, mode, kind: "ledger" });
    }
  });

  it("an unknown account is 404, an invalid id is 400", async () => {
    expectFailure(await recount("acc_00000000000"), 404, "not_found");
    for (const account of ["x", "", "acc_x"]) {
      expectFailure(await recount(account), 400, "invalid_request", { param: "account" });
    }
  });

  it("goes through all accounts, page by page", async () => {
    const worlds = [await openWorld(), await openWorld(), await openWorld()];
    for (const world of worlds) await recordHistory(world, []);
    let accounts = 0;
    let after = "";
    for (;;) {
      const { body } = await operator("GET", `/operator/reconcile?limit=2${after}`);
      expect(body).toMatchObject({ success: true, differences: [] });
      accounts += body.accounts as number;
      if (body.next === null) break;
      after = `&after=${body.next}`;
    }
    expect(accounts).toBeGreaterThanOrEqual(3);
  });

  it("of a large account goes on where the request before stopped, also within a page of all accounts", async () => {
    const [large, small] = [await openWorld({ plan: "premium", balance: 900_000 }), await openWorld()];
    for (const world of [large, small]) await recordHistory(world, []);
    await addDelivered(large, 60_000);
    await runInDurableObject(large.stub, (_, { storage }) => {
      storage.sql.exec("UPDATE job SET charge = charge + 1 WHERE seq IN (20, 59000)");
    });
    for (const path of [`?account=${large.ref.accountId}`, "?limit=100"]) {
      const found: { account_id: string; detail: string }[] = [];
      let requests = 0;
      for (let after = ""; ;) {
        const { status, body } = await operator("GET", `/operator/reconcile${path}${after}`);
        expect(status).toBe(200);
        found.push(...body.differences);
        requests += 1;
        expect(body.has_more).toBe(body.next !== null);
        if (body.next === null) break;
        after = `&after=${encodeURIComponent(body.next)}`;
      }
      expect(requests).toBeGreaterThan(1);
      expect(found.map(({ account_id }) => account_id)).toEqual([large.ref.accountId, large.ref.accountId]);
      expect(found.map(({ detail }) => /req_added\d+/u.exec(detail)?.[0])).toEqual(["req_added20", "req_added59000"]);
    }
  });

  it("an after of another account, or that no answer gave, is 400", async () => {
    const world = await openWorld();
    const { accountId } = world.ref;
    for (const after of ["x", accountId, `${accountId}.live.x`, "acc_00000000000.live.", `${accountId}.both.`]) {
      const reply = await operator("GET", `/operator/reconcile?account=${accountId}&after=${after}`);
      expectFailure(reply, 400, "invalid_request", { param: "after" });
    }
    expectFailure(await operator("GET", `/operator/reconcile?after=${accountId}.live.x`), 400, "invalid_request", {
      param: "after",
    });
  });
});
