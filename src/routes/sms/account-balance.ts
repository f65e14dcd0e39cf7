import { keyOf, showWindow } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import type { Docs } from "../../http/docs.ts";
import type { BalanceView, Refusal } from "../../model/command.ts";
import { coins } from "../../money/money.ts";
import { accountOf, refuse } from "../../sending/send-order.ts";

/** `GET /account-balance` (contract §5.4). */
export const accountBalance = (app: Api) =>
  app.get("/account-balance", authenticate("bearer"), async (c) => {
    const { keyId, secretId } = keyOf(c);
    const caller = { keyId, secretId, requestId: c.get("requestId") };
    const result: BalanceView | Refusal | null = await accountOf(c).balance(caller);
    if (!result?.ok) return refuse(c, result);
    showWindow(c, result.window);
    return c.json({ success: true, balance: coins(result.balance), currency: "coins" });
  });

export const docs = {
  "GET /account-balance": {
    id: "accountBalance",
    tag: "Account",
    summary: "Get the balance",
    reply: "Balance",
  },
} satisfies Docs;
