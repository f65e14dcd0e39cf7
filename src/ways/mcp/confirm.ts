import type { ApiKey } from "../../crypto/api-key.ts";
import { base62 } from "../../crypto/base62.ts";
import { mac, sameBytes } from "../../crypto/bytes.ts";
import { objectName } from "../../crypto/ids.ts";
import { secretsOf } from "../../crypto/secrets.ts";
import type { GivenSecrets } from "../../crypto/secrets.ts";
import { isFields } from "./rpc.ts";

// The guard before a live key spends (contract §15): the first call of a tool does nothing and shows a value, and only a
// call with the same arguments and that value acts. The value is a MAC, so that nothing is stored.

/** For how long the value of a call stays the same; it is taken for as long again. */
export const SLOT_MS = 600_000;

/** Bytes of the MAC: 13 characters. */
const MAC_SIZE = 9;

/** A call, as far as its confirmation is for it alone. */
export interface Confirmable {
  key: Pick<ApiKey, "accountId" | "mode" | "keyId">;
  tool: string;
  /** All arguments but `confirm`. */
  arguments: unknown;
}

/** The value with the keys of each object in one order: a model may write them in another one the second time. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, ordered(part)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function valueIn(slot: number, secret: string, { key, tool, arguments: given }: Confirmable): string {
  const what = JSON.stringify([objectName(key), key.keyId, slot, tool, ordered(given)]);
  return base62(mac(secret, "mcp-confirm/v1", what, MAC_SIZE));
}

/** The value that confirms a call, and until when it does, in ms. The same call gets the same one for ten minutes. */
export function confirmationOf(given: GivenSecrets, call: Confirmable, nowMs: number) {
  const slot = Math.floor(nowMs / SLOT_MS);
  return { confirm: valueIn(slot, secretsOf(given).current.value, call), untilMs: (slot + 2) * SLOT_MS };
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** Whether a value confirms this call: that of the present ten minutes or of those before, by any listed secret. */
export function isConfirmed(given: GivenSecrets, call: Confirmable, confirm: string, nowMs: number): boolean {
  const slot = Math.floor(nowMs / SLOT_MS);
  const values = secretsOf(given).all.flatMap(({ value }) => [slot, slot - 1].map((at) => valueIn(at, value, call)));
  const right = values.map((value) => sameBytes(bytes(value), bytes(confirm)));
  return right.includes(true);
}
