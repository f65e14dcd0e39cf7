import type { AccountRef } from "../model/ref.ts";
import type { Generation } from "../model/webhook.ts";
import { mac } from "./bytes.ts";
import { objectName } from "./ids.ts";
import { secretsOf } from "./secrets.ts";
import type { GivenSecrets } from "./secrets.ts";

/**
 * The secret of a webhook endpoint (Standard Webhooks 1.0.0): derived, so it is stored nowhere. Null where the KEY_SECRET
 * that it comes from is not listed any more.
 */
export function webhookSecret(given: GivenSecrets, ref: AccountRef, id: string, from: Generation): string | null {
  const secret = secretsOf(given).withId(from.secretId);
  if (!secret) return null;
  const bytes = mac(secret.value, "webhook/v1", `${objectName(ref)}/${id}/${from.generation}`);
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}
