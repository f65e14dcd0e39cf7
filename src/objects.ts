import { configOf } from "./config/config.ts";
import { objectName } from "./crypto/ids.ts";
import type { AccountRef } from "./model/ref.ts";

// Stubs of account objects. This file knows the binding, not the class, so that all areas above the ground may use it.

/**
 * Where an object is to live if this is its first call (`ACCOUNT_LOCATION`). Of one that exists the platform ignores it, so
 * every stub that may be an object's first has it.
 */
export function placeOf(env: object): DurableObjectNamespaceGetDurableObjectOptions {
  const { ACCOUNT_LOCATION: locationHint } = configOf(env);
  return locationHint ? { locationHint } : {};
}

/** The object of an account in one mode; getting the stub costs nothing until a method is called. */
export function objectOf(env: Env, ref: AccountRef) {
  return env.ACCOUNT.getByName(objectName(ref), placeOf(env));
}

export type AccountObject = ReturnType<typeof objectOf>;

/** Both objects of an account: the live one and its test twin. */
export function bothOf(env: Env, accountId: string): { live: AccountObject; test: AccountObject } {
  return { live: objectOf(env, { accountId, mode: "live" }), test: objectOf(env, { accountId, mode: "test" }) };
}
