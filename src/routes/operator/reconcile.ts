import { recountAccount, recountPage } from "../../accounts/reconcile.ts";
import type { FoundDifference, Recount } from "../../accounts/reconcile.ts";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { missing, operator, pageLimit } from "./operator.ts";

const wire = ({ accountId, mode, kind, detail }: FoundDifference) => ({ account_id: accountId, mode, kind, detail });

/** What every answer has: `next` is the `after` of the request that goes on. */
const answer = ({ differences, next }: Recount) => ({
  success: true,
  differences: differences.map(wire),
  has_more: next !== null,
  next,
});

const badAfter = () => fail("invalid_request", "after must be the next of the page before.", { param: "after" });

/** `GET /operator/reconcile`: recounts one account, or a page of all of them (contract §10). */
export const operatorReconcile = (app: Api) =>
  app.get("/operator/reconcile", operator("read"), async (c) => {
    const asked = c.req.query("account");
    const after = c.req.query("after") ?? "";
    if (asked === undefined) {
      const found = await recountPage(c.env, after, pageLimit(c));
      if (found === "unreadable") return badAfter();
      return c.json({ ...answer(found), accounts: found.accounts });
    }
    if (!accountBytes(asked)) fail("invalid_request", "account must be an account id.", { param: "account" });
    const found = (await recountAccount(c.env, asked, after)) ?? missing("account");
    return found === "unreadable" ? badAfter() : c.json(answer(found));
  });
