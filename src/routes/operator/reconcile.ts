import type { Context } from "hono";
import type { Api, AppEnv } from "../../app.ts";
import { accountsPage } from "../../accounts.ts";
import type { Difference } from "../../durable/account-types.ts";
import { fail } from "../../errors.ts";
import { accountBytes } from "../../ids.ts";
import type { Mode } from "../../ids.ts";
import { missing, operator, pageLimit, stubOf } from "./operator.ts";

const MODES: readonly Mode[] = ["live", "test"];

async function recount(c: Context<AppEnv>, accountId: string) {
  const found = await Promise.all(
    MODES.map(async (mode) => {
      const differences: Difference[] | null = await stubOf(c, { accountId, mode }).reconcile();
      return differences?.map((difference) => ({ account_id: accountId, mode, ...difference })) ?? null;
    }),
  );
  return found.every((one) => one === null) ? null : found.flatMap((one) => one ?? []);
}

/** `GET /operator/reconcile`: recounts one account, or a page of all of them (contract §10). */
export const operatorReconcile = (app: Api) =>
  app.get("/operator/reconcile", operator, async (c) => {
    const asked = c.req.query("account");
    if (asked !== undefined) {
      if (!accountBytes(asked)) fail("invalid_request", "account must be an account id.", { param: "account" });
      return c.json({ success: true, differences: (await recount(c, asked)) ?? missing("account") });
    }
    const limit = pageLimit(c);
    const { ids, next } = await accountsPage(c.env, c.req.query("after") ?? "", limit);
    const differences = [];
    for (const accountId of ids) differences.push(...((await recount(c, accountId)) ?? []));
    return c.json({ success: true, differences, accounts: ids.length, has_more: next !== null, next });
  });
