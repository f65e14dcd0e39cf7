import type { Context, MiddlewareHandler, Next } from "hono";
import * as z from "zod";
import { accountBytes } from "../../crypto/ids.ts";
import { operatorByAccess, usesAccess } from "../../http/access.ts";
import { settings } from "../../http/app.ts";
import type { AppEnv } from "../../http/app.ts";
import { isOperator } from "../../http/auth.ts";
import { acceptBody, invalidRequest, readBody } from "../../http/body.ts";
import { FailureError, UNAUTHORIZED, fail } from "../../http/errors.ts";
import { idempotencyOf } from "../../http/idempotency.ts";
import { query } from "../../http/query.ts";
import { shown } from "../../http/shown.ts";
import type { AskedOnce } from "../../model/command.ts";
import { TOKEN_HOLDER, leastRole, mayDo } from "../../model/operator.ts";
import type { Operator, Permission } from "../../model/operator.ts";
import type { AccountRef } from "../../model/ref.ts";
import { coins, unitsFromCoins } from "../../money/money.ts";
import { LENGTH_MAX } from "../../text/lengths.ts";
import { isDeceptive } from "../../text/one-line.ts";

// What the operator's routes share (contract §10): the token, account ids and amounts.

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "PUT"]);

const NOT_OPERATOR = { ...UNAUTHORIZED, error: "The operator token is missing or not valid." };

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * Refuses what another site's page makes a browser send: Cloudflare adds its token to that as well. A browser sends
 * Origin with every such request (Fetch §3.2), and other programs send none.
 */
function refuseOtherSites(c: Context<AppEnv>): void {
  const origin = c.req.header("origin");
  const own = [new URL(c.req.url).origin, new URL(settings(c).CONSOLE_URL).origin];
  if (SAFE.has(c.req.method) || origin === undefined || own.includes(origin)) return;
  fail("permission_denied", "This request was sent by the page of another site.");
}

/** The operator of the request: by the token, or where it is configured by Cloudflare Access. */
async function operatorOf(c: Context<AppEnv>): Promise<Operator> {
  if (isOperator(c)) return { ...TOKEN_HOLDER, session: null };
  const byAccess = c.req.header("authorization") === undefined && usesAccess(c);
  const found = byAccess ? await operatorByAccess(c) : null;
  if (!found) throw new FailureError(NOT_OPERATOR);
  if (found.ok) {
    refuseOtherSites(c);
    return found.operator;
  }
  switch (found.reason) {
    case "missing":
    case "invalid":
      throw new FailureError(NOT_OPERATOR);
    case "unavailable":
      return fail("unavailable", "The keys of Cloudflare Access cannot be fetched at the moment; repeat the request.");
    case "no_role":
      return fail("permission_denied", `${found.email} has no role here.`);
  }
}

/** Ends the request if the operator's role may not do this. */
export function demand(c: Context<AppEnv>, permission: Permission): void {
  const { role } = c.get("operator") ?? fail("unauthorized", NOT_OPERATOR.error);
  if (mayDo(role, permission)) return;
  fail("permission_denied", `The role ${role} may not do this; it needs the role ${leastRole(permission)}.`);
}

/** Whether the role of the request's operator may do this. */
export function may(c: Context<AppEnv>, permission: Permission): boolean {
  const role = c.get("operator")?.role;
  return role !== undefined && mayDo(role, permission);
}

/** Requires an operator who may do this, then reads and checks the body of a request that may have one. */
export function operator(permission: Permission): MiddlewareHandler<AppEnv> {
  return shown({ operator: permission }, async (c: Context<AppEnv>, next: Next) => {
    const withBody = WITH_BODY.has(c.req.method);
    if (withBody) acceptBody(c);
    c.set("operator", await operatorOf(c));
    demand(c, permission);
    if (withBody) await readBody(c, () => undefined, "{}");
    await next();
  });
}

/** Ends the request: there is no such account, key or page. */
export function missing(what: string): never {
  return fail("not_found", `There is no such ${what}.`);
}

/** `?mode=` of a route of an account. */
export const modeField = z
  .enum(["live", "test"], "mode must be live or test.")
  .default("live")
  .meta({ description: "Whether it is about the account itself, or about its twin with play coins." });

const modeOnly = z.object({ mode: modeField });

/** Validates `?mode=`. */
export const ofMode = query(modeOnly);

/** The account in the path, in the mode of `?mode=`, live by default. */
export function accountInPath(c: Context<AppEnv>): AccountRef {
  const accountId = c.req.param("id") ?? "";
  const asked = modeOnly.safeParse({ mode: c.req.query("mode") });
  if (!asked.success) throw new FailureError(invalidRequest(asked.error));
  if (!accountBytes(accountId)) return missing("account");
  return { accountId, mode: asked.data.mode };
}

/** The Idempotency-Key and fingerprint of the request (contract §8); nothing without the header. */
export function onceOf(c: Context<AppEnv>, fields: object): { once?: AskedOnce } {
  const once = idempotencyOf(c, fields, "operator");
  return once ? { once } : {};
}

/** Marks the reply as a repetition, if an earlier request with the same Idempotency-Key got it first. */
export function showRepeated(c: Context<AppEnv>, repeated: boolean | undefined): void {
  if (repeated === true) c.header("Idempotent-Replayed", "true");
}

/** Ends the request: its Idempotency-Key was used for something else. */
export function otherRequest(): never {
  return fail("idempotency_mismatch", "This Idempotency-Key was used for another request; use a new key.");
}

/** The secret from which keys and message ids are made. */
export const keySecret = (c: Context<AppEnv>) => settings(c).KEY_SECRET;

/** A schema of an amount in coins with at most four decimals; it returns units. */
export function amountField(name: string, min: number) {
  return z.number(`${name} must be a number of coins.`).transform((value, ctx) => {
    const units = unitsFromCoins(value);
    if (units !== null && value >= min) return units;
    const message =
      value < min
        ? `${name} must not be below ${coins(min)}.`
        : `${name} must be at most 1,000,000,000 coins with at most four decimals.`;
    ctx.issues.push({ code: "custom", message, input: value });
    return z.NEVER;
  });
}

/** A schema of a name: 1 to 100 characters on one line. */
export function nameField(name: string) {
  return z
    .string(`${name} must be a string.`)
    .min(1, `${name} must not be empty.`)
    .max(LENGTH_MAX.name, `${name} is too long.`)
    .refine((value) => !isDeceptive(value), `${name} must not contain line breaks or control characters.`)
    .meta({ examples: ["Shop"] });
}

/** A time as the API writes it, or null. */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
