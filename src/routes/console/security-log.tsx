import { newestActs } from "../../audit/trail.ts";
import { page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { readPlace } from "../../model/audit.ts";
import { SecurityLog } from "../../ui/trail/security-log.tsx";
import { auditWords } from "../../ui/words/audit.ts";

const PAGE_SIZE = 50;

/** `/settings/activity`: what was done to the account, by its owner and by the operator. */
export const securityLog = (app: Api) =>
  app.get("/settings/activity", page, signedIn, async (c) => {
    const { accountId } = personOf(c);
    const found = await newestActs(c.env, { accountId }, readPlace(c.req.query("before") ?? ""), PAGE_SIZE);
    const { log } = auditWords[viewOf(c).lang];
    return show(c, <SecurityLog page={found} />, { title: log, active: "settings" });
  });
