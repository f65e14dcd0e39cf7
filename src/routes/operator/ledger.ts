import * as z from "zod";
import { messageId } from "../../crypto/ids.ts";
import type { GivenSecrets } from "../../crypto/secrets.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, numbersIn, page, query } from "../../http/query.ts";
import type { LedgerView } from "../../model/account.ts";
import type { AccountRef } from "../../model/ref.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { accountInPath, keySecret, missing, modeField, operator, timeOf } from "./operator.ts";

/** A ledger entry on the wire (contract §10). */
export function ledgerEntry(secret: GivenSecrets, ref: AccountRef, entry: LedgerView) {
  const id = entry.message && messageId(secret, ref, entry.message.operation, entry.message);
  return {
    seq: entry.seq,
    type: entry.type,
    amount: coins(entry.amount),
    message_id: id,
    request_id: entry.requestId,
    reference: entry.type === "refund" ? `refund:${id}` : (entry.reference?.replace(/^operator:/u, "") ?? null),
    balance_after: coins(entry.balanceAfter),
    at: timeOf(entry.at),
  };
}

const asked = query(z.object({ mode: modeField, limit: limitField, after: afterField(numbersIn(1)) }));

/** `GET /operator/accounts/:id/ledger`: oldest first. */
export const operatorLedger = (app: Api) =>
  app.get("/operator/accounts/:id/ledger", operator("read"), asked, async (c) => {
    const ref = accountInPath(c);
    const { limit, after: [after = 0] = [] } = c.req.valid("query");
    const rows: LedgerView[] = (await objectOf(c.env, ref).ledger(after, limit + 1)) ?? missing("account");
    const { rows: entries, ...more } = page(rows, limit, (entry) => String(entry.seq));
    return c.json({ success: true, data: entries.map((entry) => ledgerEntry(keySecret(c), ref, entry)), ...more });
  });

export const docs = {
  "GET /operator/accounts/:id/ledger": {
    id: "operatorLedger",
    tag: "Operator: accounts",
    summary: "List an account's ledger, oldest first",
    reply: "LedgerList",
    path: { id: "The account's id." },
  },
} satisfies Docs;
