import type { Context } from "hono";
import { recountAccount, recountPage } from "../../accounts/reconcile.ts";
import type { Recount } from "../../accounts/reconcile.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { deskWordsOf, showDesk } from "../../console/desk-page.tsx";
import { page } from "../../console/page.tsx";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { DeskReconcile } from "../../ui/desk/reconcile.tsx";

/** Accounts on one page, where they are small: each recount reads the whole history of its account. */
const ACCOUNTS_PER_PAGE = 50;

/** Recounts one account, or a page of all; null if the account is unknown. A wrong `after` begins anew. */
async function recount(c: Context<AppEnv>, account: string): Promise<Recount | null> {
  const after = c.req.query("after") ?? "";
  if (account !== "" && !accountBytes(account)) return null;
  const from = (place: string) =>
    account === "" ? recountPage(c.env, place, ACCOUNTS_PER_PAGE) : recountAccount(c.env, account, place);
  const found = await from(after);
  if (found !== "unreadable") return found;
  const anew = await from("");
  return anew === "unreadable" ? null : anew;
}

/** `/desk/reconcile`: recounts one account, or a page of all (contract §10). It is a GET, since it changes nothing. */
export const deskReconcile = (app: Api) =>
  app.get("/desk/reconcile", page, atDesk("read"), async (c) => {
    const account = c.req.query("account")?.trim() ?? "";
    const asked = c.req.query("run") !== undefined;
    const found = asked ? await recount(c, account) : null;
    const error = deskWordsOf(c).noAccount;
    const refused = asked && !found ? ({ code: "not_found", error, field: "account" } as const) : undefined;
    return showDesk(c, "reconcile", <DeskReconcile account={account} found={found} fault={refused} />, { refused });
  });
