import { objectName } from "./crypto/ids.ts";
import type { AccountRef } from "./model/ref.ts";

// Addresses of account objects. It knows a binding and no class, so that every area above the ground may import it.

/** The object of an account in one of its modes; asking for it costs nothing until a method is called. */
export function objectOf(env: Env, ref: AccountRef) {
  return env.ACCOUNT.getByName(objectName(ref));
}

export type AccountObject = ReturnType<typeof objectOf>;

/** Both objects of an account: the live one and its test twin. */
export function bothOf(env: Env, accountId: string): { live: AccountObject; test: AccountObject } {
  return { live: objectOf(env, { accountId, mode: "live" }), test: objectOf(env, { accountId, mode: "test" }) };
}
