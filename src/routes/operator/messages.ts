import * as z from "zod";
import { messageId } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, numbersIn, page, query } from "../../http/query.ts";
import type { MessageView } from "../../model/message.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { accountInPath, keySecret, missing, modeField, operator, timeOf } from "./operator.ts";

const asked = query(z.object({ mode: modeField, limit: limitField, after: afterField(numbersIn(2)) }));

/** `GET /operator/accounts/:id/messages`: oldest first, from the account itself and not from history (contract §10). */
export const operatorMessages = (app: Api) =>
  app.get("/operator/accounts/:id/messages", operator("read"), asked, async (c) => {
    const ref = accountInPath(c);
    const { limit, after: [seq = 0, index = 0] = [] } = c.req.valid("query");
    const rows: MessageView[] = (await objectOf(c.env, ref).messages({ seq, index }, limit + 1)) ?? missing("account");
    const { rows: messages, ...more } = page(rows, limit, (row) => `${row.seq}.${row.index}`);
    const data = messages.map((row) => ({
      message_id: messageId(keySecret(c), ref, row.operation, row),
      request_id: row.requestId,
      operation: row.operation,
      to: row.to,
      state: row.state,
      charge: coins(row.charge),
      carrier: row.carrier,
      attempts: row.attempts,
      error_code: row.errorCode,
      created_at: timeOf(row.createdAt),
      updated_at: timeOf(row.updatedAt),
    }));
    return c.json({ success: true, data, ...more });
  });

export const docs = {
  "GET /operator/accounts/:id/messages": {
    id: "operatorMessages",
    tag: "Operator: accounts",
    summary: "List an account's messages, oldest first",
    description: "From the account itself and not from history; numbers are whole.",
    reply: "OperatorMessageList",
    path: { id: "The account's id." },
  },
} satisfies Docs;
