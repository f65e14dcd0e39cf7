import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { expectFailure, operatorSuite } from "../../world/operating.ts";
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
});
