import { recountAccount, recountPage } from "../../accounts/reconcile.ts";
import type { FoundDifference } from "../../accounts/reconcile.ts";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { missing, operator, pageLimit } from "./operator.ts";

const wire = ({ accountId, mode, kind, detail }: FoundDifference) => ({ account_id: accountId, mode, kind, detail });

/** `GET /operator/reconcile`: recounts one account, or a page of all of them (contract §10). */
export const operatorReconcile = (app: Api) =>
  app.get("/operator/reconcile", operator("read"), async (c) => {
    const asked = c.req.query("account");
    if (asked !== undefined) {
      if (!accountBytes(asked)) fail("invalid_request", "account must be an account id.", { param: "account" });
      const differences = (await recountAccount(c.env, asked)) ?? missing("account");
      return c.json({ success: true, differences: differences.map(wire) });
    }
    const { differences, accounts, next } = await recountPage(c.env, c.req.query("after") ?? "", pageLimit(c));
    return c.json({ success: true, differences: differences.map(wire), accounts, has_more: next !== null, next });
  });
