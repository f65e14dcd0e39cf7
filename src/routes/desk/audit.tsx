import type { Context } from "hono";
import { newestActs } from "../../audit/trail.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { showDesk } from "../../console/desk-page.tsx";
import { page, viewOf } from "../../console/page.tsx";
import { accountBytes } from "../../crypto/ids.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { isAction, readPlace } from "../../model/audit.ts";
import { DeskAudit } from "../../ui/desk/audit.tsx";
import { auditWords } from "../../ui/words/audit.ts";

const PAGE_SIZE = 50;

const ACTOR_LENGTH_MAX = 254;

async function showTrail(c: Context<AppEnv>): Promise<Response> {
  const asked = (name: string) => c.req.query(name)?.trim().slice(0, ACTOR_LENGTH_MAX) ?? "";
  const action = asked("action");
  const filter = { account: asked("account"), actor: asked("actor"), action: isAction(action) ? action : "" };
  const known = filter.account === "" || accountBytes(filter.account) !== null;
  const error = auditWords[viewOf(c).lang].badAccount;
  const refused = known ? undefined : ({ code: "invalid_request", error, field: "account" } as const);
  const wanted = {
    ...(filter.account !== "" && { accountId: filter.account }),
    ...(filter.actor !== "" && { actor: filter.actor }),
    ...(isAction(action) && { action }),
  };
  const before = readPlace(c.req.query("before") ?? "");
  const acts = known ? await newestActs(c.env, wanted, before, PAGE_SIZE) : { acts: [], next: null };
  return showDesk(c, "audit", <DeskAudit page={acts} filter={filter} fault={refused} />, { refused });
}

/** `/desk/audit`: what operators, customers and the service did. */
export const deskAudit = (app: Api) => app.get("/desk/audit", page, atDesk("read"), (c) => showTrail(c));
