import type { Context } from "hono";
import { oldestActs } from "../../audit/trail.ts";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { readPlace } from "../../model/audit.ts";
import type { ActPlace, RecordedAct } from "../../model/audit.ts";
import { missing, operator, pageLimit, timeOf } from "./operator.ts";

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

function afterOf(c: Context<AppEnv>): ActPlace | null {
  const text = c.req.query("after");
  if (text === undefined) return null;
  return readPlace(text) ?? fail("invalid_request", "after must be the next of the page before.", { param: "after" });
}

/** `GET /operator/audit`: the audit trail, oldest first, of all accounts or of one. */
export const operatorAudit = (app: Api) =>
  app.get("/operator/audit", operator("read"), async (c) => {
    const account = c.req.query("account");
    if (account !== undefined && !accountBytes(account)) return missing("account");
    const filter = account === undefined ? {} : { accountId: account };
    const { acts, next } = await oldestActs(c.env, filter, afterOf(c), pageLimit(c));
    return c.json({ success: true, data: acts.map(wire), has_more: next !== null, next });
  });
