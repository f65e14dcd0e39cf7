import { keyOf, showWindow } from "../../app.ts";
import type { Api } from "../../app.ts";
import { authenticate } from "../../auth.ts";
import { accountOf, refuse } from "../../billing.ts";
import type { BalanceView, Refusal } from "../../durable/account-types.ts";
import { coins } from "../../money.ts";

/** `GET /account-balance` (contract §5.4). */
export const accountBalance = (app: Api) =>
  app.get("/account-balance", authenticate("bearer"), async (c) => {
    const caller = { keyId: keyOf(c).keyId, requestId: c.get("requestId") };
    const result: BalanceView | Refusal = await accountOf(c).balance(caller);
    if (!result.ok) return refuse(c, result);
    showWindow(c, result.window);
    return c.json({ success: true, balance: coins(result.balance), currency: "coins" });
  });
