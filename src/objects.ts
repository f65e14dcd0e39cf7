import { objectName } from "./crypto/ids.ts";
import type { AccountRef } from "./model/ref.ts";

// Stubs of account objects. This file knows the binding, not the class, so that all areas above the ground may use it.

/** The object of an account in one mode; getting the stub costs nothing until a method is called. */
export function objectOf(env: Env, ref: AccountRef) {
  return env.ACCOUNT.getByName(objectName(ref));
}

export type AccountObject = ReturnType<typeof objectOf>;

/** Both objects of an account: the live one and its test twin. */
export function bothOf(env: Env, accountId: string): { live: AccountObject; test: AccountObject } {
  return { live: objectOf(env, { accountId, mode: "live" }), test: objectOf(env, { accountId, mode: "test" }) };
}
