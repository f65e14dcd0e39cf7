import * as z from "zod";
import { findRequest } from "../../activity/request.ts";
import { readPlace, showPlace } from "../../activity/list.ts";
import { wireMessage, wireRequest } from "../../activity/wire-message.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { afterField, limitField, page, query } from "../../http/query.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf } from "../../sending/send-order.ts";

const list = z.object({ limit: limitField, after: afterField(readPlace) });

/** `GET /v1/requests/:request_id`: what became of one request, with a page of its messages (contract §13). */
export const requestsApi = (app: Api) =>
  app.get("/v1/requests/:request_id", accountApi, query(list), async (c) => {
    const { limit, after = null } = c.req.valid("query");
    const key = keyOf(c);
    const source = { env: c.env, ref: key, stub: accountOf(c) };
    const found = await findRequest(source, c.req.param("request_id"), after, limit + 1);
    if (!found) return fail("not_found", "There is no such request.");
    const { rows, ...more } = page(found.messages, limit, showPlace);
    const { KEY_SECRET } = settings(c);
    const data = rows.map((row) => wireMessage(KEY_SECRET, key, row));
    return c.json({ success: true, request: wireRequest(found.request), data, ...more });
  });

export const docs = {
  "GET /v1/requests/:request_id": {
    id: "getRequest",
    tag: "Messages",
    summary: "Show one request and its messages",
    description:
      "How many messages of the request are in each state, what it cost and what of that was refunded, with a page of its messages in the order of the request.",
    reply: "Request",
    codes: ["not_found"],
    path: { request_id: "The `X-Request-Id` of the send's first reply." },
  },
} satisfies Docs;
