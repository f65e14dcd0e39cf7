import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import { fail } from "../../http/errors.ts";
import { optional } from "../../http/fields.ts";
import { closeAccount, eraseAccount, keepAccount } from "../../leaving/closing.ts";
import type { Closed, Erased } from "../../leaving/closing.ts";
import { exportReply, readExportPlace } from "../../leaving/export/export.ts";
import { listErasures, withInvoices } from "../../leaving/list.ts";
import type { ListedErasure } from "../../leaving/list.ts";
import type { AccountView } from "../../model/account.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { NOTICES, dayOf, notify } from "../../sign-in/notices.ts";
import { personWith } from "../../sign-in/people.ts";
import { accountInPath, amountField, missing, operator, pageLimit, timeOf } from "./operator.ts";

const closing = z.object({
  grace_days: optional(
    z
      .number("grace_days must be a number of days.")
      .min(0, "grace_days must not be below 0.")
      .max(365, "grace_days must be at most 365."),
  ),
  give_up: optional(amountField("give_up", 0)),
});

function wire(row: ListedErasure) {
  return {
    account_id: row.accountId,
    state: row.state,
    by: row.by,
    hindrance: row.hindrance,
    given_up_max: coins(row.givenUpMax),
    asked_at: timeOf(row.askedAt),
    closes_at: timeOf(row.closesAt),
    began_at: timeOf(row.beganAt),
    erased_at: timeOf(row.erasedAt),
    kept_until: timeOf(row.keptUntil),
    invoices: row.invoices.map(({ orderId, number, issuedAt }) => {
      return { order_id: orderId, number, issued_at: timeOf(issuedAt) };
    }),
  };
}

/** Ends the request with the one sentence that says what is in the way. */
function refuse(refused: Exclude<Closed | Erased, { ok: true }>): never {
  switch (refused.reason) {
    case "unknown":
      return missing("account");
    case "own":
      return fail("permission_denied", "This account belongs to the service itself and cannot be closed.");
    case "erasing":
      return fail("permission_denied", "The erasure of this account has begun.");
    case "other_balance":
      return fail("invalid_request", `give_up must be the balance, which is ${coins(refused.balance)} coins.`, {
        param: "give_up",
      });
    case "open_messages":
      return fail(
        "permission_denied",
        "Messages are still under way; close the account, and erase it when they are over.",
      );
    case "debt":
      return fail(
        "permission_denied",
        "The account owes credit of a refunded payment; settle that before it is erased.",
      );
    case "open_orders":
      return fail(
        "permission_denied",
        "The payment of an order may still arrive; erase the account when that is over.",
      );
    case "balance":
      return fail(
        "permission_denied",
        `The balance is ${coins(refused.balance)} coins; refund it first, or name it in give_up.`,
      );
  }
}

async function shown(c: Context<AppEnv>, row: Parameters<typeof withInvoices>[1][number]) {
  const [one] = await withInvoices(c.env, [row]);
  return c.json({ success: true, ...(one && wire(one)) });
}

/** `?give_up=` in coins, as units; null without it. */
function giveUpOf(c: Context<AppEnv>): number | null {
  const text = c.req.query("give_up");
  if (text === undefined) return null;
  const read = amountField("give_up", 0).safeParse(/^[0-9]{1,10}(?:\.[0-9]{1,4})?$/u.test(text) ? Number(text) : text);
  return read.success ? read.data : fail("invalid_request", "give_up must be a number of coins.", { param: "give_up" });
}

function addClosing(app: Api): void {
  app.post("/operator/accounts/:id/close", operator("leaving"), jsonBody(closing), async (c) => {
    const { accountId } = accountInPath(c);
    const { grace_days: graceDays, give_up: givesUp = null } = c.req.valid("json");
    const person = await personWith(c.env, { accountId });
    const asked = { accountId, by: "operator" as const, givesUp: givesUp ?? null };
    const closed = await closeAccount(c.env, { ...asked, ...(typeof graceDays === "number" && { graceDays }) });
    if (!closed.ok) return refuse(closed);
    const { closesAt } = closed.row;
    await audit(c, { action: "account.closing", accountId, details: { erases: timeOf(closesAt) } });
    const phone = person?.phone ?? null;
    if (phone !== null) await notify(c, phone, NOTICES.closing(dayOf(closesAt)));
    return shown(c, closed.row);
  });

  app.post("/operator/accounts/:id/keep", operator("leaving"), async (c) => {
    const ref = accountInPath(c);
    const { accountId } = ref;
    if (!(await keepAccount(c.env, accountId))) {
      if (!(await objectOf(c.env, ref).view())) return missing("account");
      return fail("permission_denied", "This account is not closing, or its erasure has begun.");
    }
    await audit(c, { action: "account.kept", accountId });
    return c.json({ success: true, account_id: accountId });
  });

  app.delete("/operator/accounts/:id", operator("leaving"), async (c) => {
    const { accountId } = accountInPath(c);
    const erased = await eraseAccount(c.env, { accountId, by: "operator", givesUp: giveUpOf(c) });
    if (!erased.ok) return refuse(erased);
    await audit(c, { action: "account.erased", accountId, once: "asked" });
    return shown(c, erased.row);
  });
}

/** Closing, erasing and exporting an account, and the list of those that leave. */
export const operatorLeaving = (app: Api) => {
  addClosing(app);

  app.get("/operator/accounts/:id/export", operator("leaving"), async (c) => {
    const ref = accountInPath(c);
    const text = c.req.query("after");
    const after = text === undefined ? null : readExportPlace(text);
    if (text !== undefined && after === null) {
      return fail("invalid_request", "after must be the next of the manifest before.", { param: "after" });
    }
    const view: AccountView | null = await objectOf(c.env, ref).view();
    if (!view) return missing("account");
    await audit(c, { action: "account.exported", accountId: ref.accountId });
    return exportReply(c.env, { accountId: ref.accountId, after, nowMs: Date.now() });
  });

  app.get("/operator/erasures", operator("read"), async (c) => {
    const { rows, next } = await listErasures(c.env, c.req.query("before") ?? null, pageLimit(c));
    return c.json({ success: true, data: rows.map(wire), has_more: next !== null, next });
  });
};
