import { env } from "cloudflare:workers";
import { showKey } from "../../src/crypto/api-key.ts";
import { objectName } from "../../src/crypto/ids.ts";
import { bearer, call } from "./world.ts";
import type { Reply, World } from "./world.ts";

// Accounts with a DLT registry.

export const ENTITY = "1201159159159159159";
export const PACKED = "1107000000000000001";
export const SALE = "1107000000000000002";
export const LOGIN = "1107000000000000003";

/** A registry with a template for orders, one for offers and one for codes. */
export const REGISTRY = {
  entity_id: ENTITY,
  enforce: "on",
  headers: [
    { header: "ACMEIN", category: "service_implicit" },
    { header: "600123", category: "promotional" },
  ],
  templates: [
    { template_id: PACKED, headers: ["ACMEIN"], category: "service_implicit", text: "Order {#var#} is packed. - Acme" },
    {
      template_id: SALE,
      headers: ["600123", "ACMEIN"],
      category: "promotional",
      text: "Flat {#numeric#}% off at Acme!",
    },
    {
      template_id: LOGIN,
      headers: ["ACMEIN"],
      category: "otp",
      text: "{#numeric#} is the code for {#alphanumeric#}. - Acme",
    },
  ],
  otp: null as object | null,
};

/** Replaces the registry of a world's account. */
export const putDlt = (world: World, registry: object = REGISTRY): Promise<Reply> =>
  call("http://console.localhost/v1/dlt", {
    method: "PUT",
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    body: JSON.stringify(registry),
  });

export const getDlt = (world: World): Promise<Reply> =>
  call("http://console.localhost/v1/dlt", { headers: bearer(world.apiKey) });

/** Imports a file of templates. */
export const importDlt = (world: World, csv: string, type = "text/csv"): Promise<Reply> =>
  call("http://console.localhost/v1/dlt/import", {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": type },
    body: csv,
  });

/** The same account's test mode. */
export async function testModeOf(world: World): Promise<World> {
  const ref = { ...world.ref, mode: "test" as const };
  const name = objectName(ref);
  const stub = env.ACCOUNT.getByName(name);
  const { keyId } = world;
  await stub.open({ name: "Test", plan: "premium", otpRate: null, balance: 1e6, keyId, keyName: "first key" });
  return { ref, name, keyId, stub, apiKey: showKey(env.KEY_SECRET, { ...ref, keyId }) };
}
