import { messageId } from "../../crypto/ids.ts";
import type { Api } from "../../http/app.ts";
import { page } from "../../http/query.ts";
import type { MessageView } from "../../model/message.ts";
import { coins } from "../../money/money.ts";
import { objectOf } from "../../objects.ts";
import { accountInPath, keySecret, missing, operator, pageAfter, pageLimit, timeOf } from "./operator.ts";

/** `GET /operator/accounts/:id/messages`: oldest first, from the account itself and not from history (contract §10). */
export const operatorMessages = (app: Api) =>
  app.get("/operator/accounts/:id/messages", operator("read"), async (c) => {
    const ref = accountInPath(c);
    const limit = pageLimit(c);
    const [seq = 0, index = 0] = pageAfter(c, 2);
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
