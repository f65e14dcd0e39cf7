import * as z from "zod";
import { beginRebuild, rebuildHistory } from "../../accounts/rebuild.ts";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { optional } from "../../http/fields.ts";
import { accountInPath, missing, ofMode, operator } from "./operator.ts";

const NUMBER = "database must be the number of a database of history.";
const which = z.object({
  database: optional(
    z
      .number(NUMBER)
      .int(NUMBER)
      .min(1, NUMBER)
      .max(1_000, NUMBER)
      .meta({ description: "The number of the database that lost rows; without it, all of them.", examples: [1] }),
  ),
});

/** `…/history/rebuild`: accounts record their history again, after a database of D1 lost rows (docs/backup.md). */
export const operatorHistory = (app: Api) => {
  app.post("/operator/accounts/:id/history/rebuild", operator("history"), ofMode, async (c) => {
    const ref = accountInPath(c);
    if ((await rebuildHistory(c.env, ref)) === null) missing("account");
    await audit(c, { action: "history.rebuilt", accountId: ref.accountId, details: { mode: ref.mode } });
    return c.json({ success: true, account_id: ref.accountId, mode: ref.mode });
  });

  app.post("/operator/history/rebuild", operator("history"), jsonBody(which), async (c) => {
    const { database } = c.req.valid("json");
    await beginRebuild(c.env, database ?? null, Date.now());
    await audit(c, { action: "history.rebuilt", details: { database: database ?? null } });
    return c.json({ success: true, database: database ?? null });
  });
};

export const docs = {
  "POST /operator/accounts/:id/history/rebuild": {
    id: "operatorRebuildHistory",
    tag: "Operator: accounts",
    summary: "Let an account record its history again",
    reply: "AccountRebuilt",
    path: { id: "The account's id." },
  },
  "POST /operator/history/rebuild": {
    id: "operatorRebuildHistories",
    tag: "Operator: service",
    summary: "Let all accounts of a database record their history again",
    reply: "HistoryRebuilt",
  },
} satisfies Docs;
