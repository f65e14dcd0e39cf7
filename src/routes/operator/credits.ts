import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { optional } from "../../http/fields.ts";
import type { Credited } from "../../model/account.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { creditAct } from "../../operator/accounts.ts";
import { LENGTH_MAX } from "../../text/lengths.ts";
import { ledgerEntry } from "./ledger.ts";
import {
  accountInPath,
  amountField,
  keySecret,
  missing,
  nameField,
  ofMode,
  onceOf,
  operator,
  otherRequest,
  showRepeated,
} from "./operator.ts";

const schema = z.object({
  amount: amountField("amount", -Infinity)
    .refine((units) => units !== 0, "amount must not be 0.")
    .meta({ description: "Coins; a negative amount is an adjustment.", examples: [100] }),
  reference: nameField("reference").meta({
    description: "Names this payment: each is credited once.",
    examples: ["inv-17"],
  }),
  note: optional(
    z
      .string("note must be a string.")
      .max(LENGTH_MAX.note, "note is too long.")
      .meta({ description: "For the audit trail." }),
  ),
});

/** `POST /operator/accounts/:id/credits`: once per reference (contract §10). */
export const operatorCredits = (app: Api) =>
  app.post("/operator/accounts/:id/credits", operator("money"), ofMode, jsonBody(schema), async (c) => {
    const ref = accountInPath(c);
    const body = c.req.valid("json");
    const { amount, reference, note } = body;
    const asked = {
      amount,
      reference,
      requestId: c.get("requestId"),
      ...(note !== undefined && { note }),
      ...onceOf(c, body),
    };
    const credited: Credited = (await objectOf(c.env, ref).credit(asked)) ?? missing("account");
    if (!credited.ok) {
      if (credited.reason === "idempotency_mismatch") return otherRequest();
      if (credited.reason === "below_zero") {
        return fail("insufficient_balance", "This would take the balance below 0.", { param: "amount" });
      }
      if (credited.reason === "above_limit") {
        return fail("invalid_request", "The balance would be more than can be counted.", { param: "amount" });
      }
      return fail("idempotency_mismatch", "This reference was used for another amount; use a new reference.", {
        param: "reference",
      });
    }
    await audit(c, creditAct(ref, asked, credited.entry));
    showRepeated(c, credited.repeated);
    return c.json({
      success: true,
      replayed: credited.replayed,
      ...ledgerEntry(keySecret(c), ref, credited.entry),
      balance: coins(credited.balance),
    });
  });

export const docs = {
  "POST /operator/accounts/:id/credits": {
    id: "operatorCredit",
    tag: "Operator: accounts",
    summary: "Credit an account, once per reference",
    reply: "Credited",
    idempotent: true,
    codes: ["insufficient_balance"],
    path: { id: "The account's id." },
  },
} satisfies Docs;
