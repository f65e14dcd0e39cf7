import type { Context } from "hono";
import { cancelRequest } from "../../activity/request.ts";
import { readMessageId } from "../../crypto/ids.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { fail, failBy } from "../../http/errors.ts";
import type { TakenBack } from "../../model/message-detail.ts";
import { coins } from "../../money/money.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf } from "../../sending/send-order.ts";

/** The reply to what was taken back, or why nothing is. */
function reply(c: Context<AppEnv>, taken: TakenBack | "too_late" | null, missing: string) {
  if (taken === null) return fail("not_found", missing);
  if (taken === "too_late") return failBy("too_late", { id: "too_late" });
  return c.json({ success: true, cancelled: taken.cancelled, refunded: coins(taken.refunded) });
}

/** `DELETE /v1/messages/:id` and `/v1/requests/:request_id`: takes back what is not claimed (contract §13). */
export const cancelApi = (app: Api) =>
  app
    .delete("/v1/messages/:id", accountApi, async (c) => {
      const key = keyOf(c);
      const place = readMessageId(settings(c).KEY_SECRET, c.req.param("id"));
      const isOwn = place?.accountId === key.accountId && place.mode === key.mode;
      const taken = isOwn ? await accountOf(c).takeBack({ seq: place.seq, index: place.index }) : null;
      return reply(c, taken, "There is no such message.");
    })
    .delete("/v1/requests/:request_id", accountApi, async (c) => {
      const source = { env: c.env, ref: keyOf(c), stub: accountOf(c) };
      return reply(c, await cancelRequest(source, c.req.param("request_id")), "There is no such request.");
    });

const CANCELS =
  "What was cancelled is refunded and never sent. The reply says what is cancelled altogether, so that a repeated call gets the same.";

export const docs = {
  "DELETE /v1/messages/:id": {
    id: "cancelMessage",
    tag: "Messages",
    summary: "Cancel a message or call that is scheduled or queued",
    description: `${CANCELS} A message that is being sent, or was, stays as it is: \`too_late\`.`,
    reply: "Cancelled",
    codes: ["not_found", "too_late"],
    path: { id: "The id of the message or call, as `X-Message-Id` of its send has it." },
  },
  "DELETE /v1/requests/:request_id": {
    id: "cancelRequest",
    tag: "Messages",
    summary: "Cancel what is left of a request",
    description: `Cancels, at once, every message of the request that is scheduled or queued. ${CANCELS} Where nothing is left to cancel, and nothing was cancelled before: \`too_late\`.`,
    reply: "Cancelled",
    codes: ["not_found", "too_late"],
    path: { request_id: "The `X-Request-Id` of the send's first reply." },
  },
} satisfies Docs;
