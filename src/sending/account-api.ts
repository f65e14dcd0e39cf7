import type { Context, MiddlewareHandler, Next } from "hono";
import type { AppEnv } from "../http/app.ts";
import { keyOf } from "../http/app.ts";
import { authenticate } from "../http/auth.ts";
import { acceptBody, readBody } from "../http/body.ts";
import { shown } from "../http/shown.ts";
import type { OwnDoor } from "../model/command.ts";
import { accountOf, refuse } from "./send-order.ts";

// The account's own API, below /v1 on the console host (contract §13).

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Methods whose body is the request; `authenticate` reads that of a POST. */
const WITH_BODY: ReadonlySet<string> = new Set(["PATCH", "PUT"]);

const bearer = authenticate("bearer");

/** Admits a request with a verified key to the account's own API; ends it where the account does not. */
async function admit(c: Context<AppEnv>, writes: boolean): Promise<void> {
  const { keyId, secretId } = keyOf(c);
  const door: OwnDoor | null = await accountOf(c).admitOwn(keyId, writes, secretId);
  if (!door?.ok) return refuse(c, door);
  c.set("historyDb", door.historyDb);
}

/** Requires such a key; for a request that its own call to the account admits, as a preflight's. */
export const accountKey: MiddlewareHandler<AppEnv> = shown(
  { keyIn: ["bearer"], ownApi: true },
  (c: Context<AppEnv>, next: Next) => bearer(c, next),
);

/**
 * Middleware of the account's own API: requires a Bearer key of either mode that is active, at most 600 requests a minute
 * for each account and mode, and for changes an account that is not suspended. One call to the account.
 */
export const accountApi: MiddlewareHandler<AppEnv> = shown(
  { keyIn: ["bearer"], ownApi: true },
  (c: Context<AppEnv>, next: Next) =>
    bearer(c, async () => {
      const { method } = c.req;
      if (WITH_BODY.has(method)) {
        acceptBody(c);
        await readBody(c, () => undefined);
      }
      await admit(c, !READS.has(method));
      await next();
    }),
);

/** The same after another middleware that requires a key, for questions in another product's form. */
export const admitted: MiddlewareHandler<AppEnv> = shown({ ownApi: true }, async (c: Context<AppEnv>, next: Next) => {
  await admit(c, !READS.has(c.req.method));
  await next();
});
