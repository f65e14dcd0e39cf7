import * as z from "zod";
import { recountAccount, recountPage } from "../../accounts/reconcile.ts";
import type { FoundDifference, Recount } from "../../accounts/reconcile.ts";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { limitField, query } from "../../http/query.ts";
import { missing, operator } from "./operator.ts";

const wire = ({ accountId, mode, kind, detail }: FoundDifference) => ({ account_id: accountId, mode, kind, detail });

/** What every answer has: `next` is the `after` of the request that goes on. */
const answer = ({ differences, next }: Recount) => ({
  success: true,
  differences: differences.map(wire),
  has_more: next !== null,
  next,
});

const account = z.string().optional().meta({ description: "The id of an account; a page of all of them without it." });
const after = z.string().default("").meta({ description: "The `next` of the page before." });
const asked = query(z.object({ account, limit: limitField, after }));

const badAfter = () => fail("invalid_request", "after must be the next of the page before.", { param: "after" });

/** `GET /operator/reconcile`: recounts one account, or a page of all of them (contract §10). */
export const operatorReconcile = (app: Api) =>
  app.get("/operator/reconcile", operator("read"), asked, async (c) => {
    const { account: accountId, limit, after: place } = c.req.valid("query");
    if (accountId === undefined) {
      const found = await recountPage(c.env, place, limit);
      if (found === "unreadable") return badAfter();
      return c.json({ ...answer(found), accounts: found.accounts });
    }
    if (!accountBytes(accountId)) fail("invalid_request", "account must be an account id.", { param: "account" });
    const found = (await recountAccount(c.env, accountId, place)) ?? missing("account");
    return found === "unreadable" ? badAfter() : c.json(answer(found));
  });

export const docs = {
  "GET /operator/reconcile": {
    id: "operatorReconcile",
    tag: "Operator: service",
    summary: "Recount ledger, balance, messages and refunds",
    description: "No difference is what is expected. Go on with `next` until it is null.",
    reply: "Reconciled",
    codes: ["not_found"],
  },
} satisfies Docs;
