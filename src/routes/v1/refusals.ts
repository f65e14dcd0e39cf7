import * as z from "zod";
import { readRefusedPlace, refusedPage, showRefusedPlace, wireRefused } from "../../activity/refused.ts";
import { keyOf } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, page, query } from "../../http/query.ts";
import { accountApi } from "../../sending/account-api.ts";

const list = z.object({ limit: limitField, after: afterField(readRefusedPlace) });

/** `GET /v1/refusals`: what was refused of requests with a valid key, newest first (contract §13). */
export const refusalsApi = (app: Api) =>
  app.get("/v1/refusals", accountApi, query(list), async (c) => {
    const { limit, after = null } = c.req.valid("query");
    const source = { env: c.env, ref: keyOf(c), historyDb: c.get("historyDb") };
    const { rows, ...more } = page(await refusedPage(source, after, limit, Date.now()), limit, showRefusedPlace);
    return c.json({ success: true, data: rows.map(wireRefused), ...more });
  });

export const docs = {
  "GET /v1/refusals": {
    id: "listRefusals",
    tag: "Messages",
    summary: "List requests that were refused",
    description:
      "Requests with a valid key that were answered with an error, newest first, for 7 days: with the names and types of their fields, never with a value. At most 30 a minute are kept, and 2,000 a day; they are noted a moment after the reply.",
    reply: "RefusalList",
  },
} satisfies Docs;
