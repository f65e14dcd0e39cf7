import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { optional } from "../../http/fields.ts";
import { afterField, limitField, query } from "../../http/query.ts";
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
import { accountInPath, amountField, missing, operator, timeOf } from "./operator.ts";

const closing = z.object({
  grace_days: optional(
    z
      .number("grace_days must be a number of days.")
      .min(0, "grace_days must not be below 0.")
      .max(365, "grace_days must be at most 365.")
      .meta({ description: "Days until it is erased; without it, the deployment's.", examples: [30] }),
  ),
  give_up: optional(amountField("give_up", 0).meta({ description: "The balance in coins, which is then lost." })),
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

/** `?give_up=` in coins, as units. */
const giveUp = z
  .string()
  .optional()
  .transform((text, ctx) => {
    if (text === undefined) return undefined;
    const coinsIn = /^[0-9]{1,10}(?:\.[0-9]{1,4})?$/u.test(text) ? Number(text) : text;
    const read = amountField("give_up", 0).safeParse(coinsIn);
    if (read.success) return read.data;
    ctx.issues.push({ code: "custom", message: "give_up must be a number of coins.", input: text });
    return z.NEVER;
  })
  .meta({ type: "number", description: "The balance in coins, which is then lost." });

const erasing = query(z.object({ give_up: giveUp }));

const exported = query(
  z.object({ after: afterField(readExportPlace, "after must be the next of the manifest before.") }),
);

const before = z.string().optional().meta({ description: "The `next` of the page before." });
const listed = query(z.object({ limit: limitField, before }));

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

  app.delete("/operator/accounts/:id", operator("leaving"), erasing, async (c) => {
    const { accountId } = accountInPath(c);
    const { give_up: givesUp = null } = c.req.valid("query");
    const erased = await eraseAccount(c.env, { accountId, by: "operator", givesUp });
    if (!erased.ok) return refuse(erased);
    await audit(c, { action: "account.erased", accountId, once: "asked" });
    return shown(c, erased.row);
  });
}

/** Closing, erasing and exporting an account, and the list of those that leave. */
export const operatorLeaving = (app: Api) => {
  addClosing(app);

  app.get("/operator/accounts/:id/export", operator("leaving"), exported, async (c) => {
    const ref = accountInPath(c);
    const { after = null } = c.req.valid("query");
    const view: AccountView | null = await objectOf(c.env, ref).view();
    if (!view) return missing("account");
    await audit(c, { action: "account.exported", accountId: ref.accountId });
    return exportReply(c.env, { accountId: ref.accountId, after, nowMs: Date.now() });
  });

  app.get("/operator/erasures", operator("read"), listed, async (c) => {
    const { limit, before: place = null } = c.req.valid("query");
    const { rows, next } = await listErasures(c.env, place, limit);
    return c.json({ success: true, data: rows.map(wire), has_more: next !== null, next });
  });
};

const path = { id: "The account's id." };

export const docs = {
  "POST /operator/accounts/:id/close": {
    id: "operatorCloseAccount",
    tag: "Operator: accounts",
    summary: "Close an account, which is erased after some days",
    reply: "Erasure",
    path,
  },
  "POST /operator/accounts/:id/keep": {
    id: "operatorKeepAccount",
    tag: "Operator: accounts",
    summary: "Take back the closing of an account",
    reply: "AccountNamed",
    path,
  },
  "DELETE /operator/accounts/:id": {
    id: "operatorEraseAccount",
    tag: "Operator: accounts",
    summary: "Erase an account now",
    reply: "Erasure",
    path,
  },
  "GET /operator/accounts/:id/export": {
    id: "operatorExportAccount",
    tag: "Operator: accounts",
    summary: "Get all that an account has",
    media: { "application/gzip": "An archive (tar, gzip)." },
    path,
  },
  "GET /operator/erasures": {
    id: "operatorErasures",
    tag: "Operator: accounts",
    summary: "List the accounts that leave or have left, newest first",
    reply: "ErasureList",
  },
} satisfies Docs;
