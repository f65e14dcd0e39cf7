import * as z from "zod";
import { oldestActs } from "../../audit/trail.ts";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, query } from "../../http/query.ts";
import { readPlace } from "../../model/audit.ts";
import type { RecordedAct } from "../../model/audit.ts";
import { missing, operator, timeOf } from "./operator.ts";

function wire(act: RecordedAct) {
  return {
    id: act.id,
    at: timeOf(act.at),
    actor_kind: act.actorKind,
    actor: act.actor,
    account_id: act.accountId,
    action: act.action,
    subject: act.subject,
    details: act.details,
    address: act.address,
    request_id: act.requestId,
    session: act.session,
  };
}

const account = z.string().optional().meta({ description: "The id of an account; all of them without it." });
const asked = query(z.object({ account, limit: limitField, after: afterField(readPlace) }));

/** `GET /operator/audit`: the audit trail, oldest first, of all accounts or of one. */
export const operatorAudit = (app: Api) =>
  app.get("/operator/audit", operator("read"), asked, async (c) => {
    const { account: accountId, limit, after } = c.req.valid("query");
    if (accountId !== undefined && !accountBytes(accountId)) return missing("account");
    const filter = accountId === undefined ? {} : { accountId };
    const { acts, next } = await oldestActs(c.env, filter, after ?? null, limit);
    return c.json({ success: true, data: acts.map(wire), has_more: next !== null, next });
  });

export const docs = {
  "GET /operator/audit": {
    id: "operatorAudit",
    tag: "Operator: service",
    summary: "List the audit trail, oldest first",
    reply: "ActList",
    codes: ["not_found"],
  },
} satisfies Docs;
