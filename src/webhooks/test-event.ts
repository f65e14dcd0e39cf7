import type { Config } from "../config/settings.ts";
import { objectName, randomId } from "../crypto/ids.ts";
import type { AccountRef } from "../model/ref.ts";
import type { Attempt, Endpoint } from "../model/webhook.ts";
import { secretsFor } from "./deliver.ts";
import { post } from "./post.ts";

/** Posts an event of type `test`, once, at once; it has no number, and is in no feed. Null where its secret is gone. */
export async function postTest(config: Config, ref: AccountRef, endpoint: Endpoint): Promise<Attempt | null> {
  const nowMs = Date.now();
  const secrets = secretsFor(config, objectName(ref), endpoint, nowMs);
  if (secrets.length === 0) return null;
  const event = { type: "test", timestamp: new Date(nowMs).toISOString(), data: { webhook_id: endpoint.id } };
  const body = endpoint.batch ? { type: "batch", data: [event] } : event;
  const message = { id: randomId("evt"), body: JSON.stringify(body) };
  const { retryAfterMs: _retry, ...answer } = await post(config, endpoint.url, secrets, message);
  return { seq: null, ...answer };
}
