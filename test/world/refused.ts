import { env } from "cloudflare:workers";
import { newRequestId } from "../../src/crypto/ids.ts";
import type { AccountRef } from "../../src/model/ref.ts";
import type { RefusedByKey } from "../../src/model/requests/refused.ts";

/** A request of an account that was refused at this time, in ms, as it is stored. */
export function refusedBy(ref: AccountRef, at: number): RefusedByKey {
  const request = {
    requestId: newRequestId(at),
    at,
    method: "POST",
    path: "/send-sms",
    status: 400,
    code: "invalid_request",
    param: "phone",
    error: "phone must be exactly 10 digits, without country code.",
    keyId: 1,
    fields: { phone: "string(5)" },
  };
  return { accountId: ref.accountId, mode: ref.mode, keyId: 1, secretId: 1, requests: [request] };
}

/** The requests of an account that the log has, oldest first. */
export async function refusedOf({ accountId, mode }: AccountRef): Promise<Record<string, unknown>[]> {
  const query = "SELECT * FROM refused_request WHERE account_id = ? AND mode = ? ORDER BY at, request_id";
  const { results } = await env.HISTORY_1.prepare(query).bind(accountId, mode).all();
  return results;
}
