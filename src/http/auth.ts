import type { Context, MiddlewareHandler, Next } from "hono";
import { verifyKey } from "../crypto/api-key.ts";
import { sameBytes } from "../crypto/bytes.ts";
import type { KeyPlace } from "../model/operations.ts";
import { failureReply, settings } from "./app.ts";
import type { AppEnv } from "./app.ts";
import { acceptBody, parseBody, readBody } from "./body.ts";
import { FailureError, UNAUTHORIZED } from "./errors.ts";
import { shown } from "./shown.ts";

// Authentication (contract §4): where a key may be given, and the check of its MAC. It reads no storage.

const KEY_MARK = "dsk_";

/** The credentials after `Bearer`, in any case, as they are; undefined for another scheme or none (RFC 6750 §2.1). */
function bearerOf(c: Context<AppEnv>): string | undefined {
  const found = /^bearer(?: +(.*))?$/iu.exec(c.req.header("authorization") ?? "");
  return found ? (found[1] ?? "") : undefined;
}

/** The password of Basic authentication, empty where it cannot be read; undefined for another scheme or none (RFC 7617). */
function basicPassword(c: Context<AppEnv>): string | undefined {
  const found = /^basic(?: +(.*))?$/iu.exec(c.req.header("authorization") ?? "");
  if (!found) return undefined;
  try {
    const text = atob((found[1] ?? "").trim());
    return text.includes(":") ? text.slice(text.indexOf(":") + 1) : "";
  } catch {
    return "";
  }
}

/** An Authorization header that is a key, and nothing else. */
function bareKey(c: Context<AppEnv>): string | undefined {
  const header = c.req.header("authorization")?.trim();
  return header?.startsWith(KEY_MARK) ? header : undefined;
}

/** How each place in the headers is read. Every route looks at the first two, so that two different keys are refused. */
const IN_HEADERS = {
  bearer: bearerOf,
  "x-api-key": (c) => c.req.header("x-api-key"),
  basic: basicPassword,
  bare: bareKey,
} as const satisfies Partial<Record<KeyPlace, (c: Context<AppEnv>) => string | undefined>>;

type HeaderPlace = keyof typeof IN_HEADERS;

const HEADER_PLACES = Object.keys(IN_HEADERS) as HeaderPlace[];

function headerKeys(c: Context<AppEnv>, places: readonly KeyPlace[]): Partial<Record<KeyPlace, string>> {
  const read = HEADER_PLACES.filter((place) => place === "bearer" || place === "x-api-key" || places.includes(place));
  return Object.fromEntries(
    read.flatMap((place) => {
      const key = IN_HEADERS[place](c);
      return key === undefined ? [] : [[place, key] as const];
    }),
  );
}

/** The key in a parsed body; a value that is not a string counts as an invalid key. */
function keyInBody(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "apiKey")) return undefined;
  const { apiKey } = body as { apiKey: unknown };
  if (apiKey === null || apiKey === undefined) return undefined;
  return typeof apiKey === "string" ? apiKey : "";
}

const deny = (): never => {
  throw new FailureError(UNAUTHORIZED);
};

/**
 * Requires a key in one of these places; every fault gets the same 401. Without a valid key in a header, the body is
 * read only if it may hold the key, up to the limit of its route, and parsed only when it does: a body without a valid
 * key costs its own length, however it is nested. Two different keys are refused, wherever the second one is.
 */
export function authenticate(...places: KeyPlace[]): MiddlewareHandler<AppEnv> {
  return shown({ keyIn: places }, async (c: Context<AppEnv>, next: Next) => {
    if (c.req.method === "POST") acceptBody(c);
    const headers = headerKeys(c, places);
    const keySecret = settings(c).KEY_SECRET;
    const given = places.flatMap((place) => (place === "body" ? [] : (headers[place] ?? [])));
    const key = given[0] === undefined ? null : verifyKey(keySecret, given[0]);
    // Returned, not thrown: this is the cheapest reply for clients that guess keys.
    if (given[0] !== undefined && !key) {
      c.set("refusedKey", given[0]);
      return failureReply(c, UNAUTHORIZED);
    }
    // Set before the body is read, so that a body that cannot be read is a refusal of this account.
    if (key) c.set("key", key);
    let found = key;
    if (places.includes("body")) {
      const onBroken = () => (key ? undefined : deny());
      const { text, apiKey } = await readBody(c, onBroken);
      found ??= verifyKey(keySecret, apiKey ?? "");
      if (!found) {
        c.set("refusedKey", apiKey ?? "");
        return deny();
      }
      const inBody = keyInBody(parseBody(text, onBroken));
      if (inBody !== undefined && inBody !== (given[0] ?? apiKey)) deny();
      if (inBody !== undefined) given.push(inBody);
    } else if (c.req.method === "POST" && key) {
      await readBody(c, () => undefined);
    }
    const others = Object.values(headers).filter((one) => one.startsWith(KEY_MARK) && one !== given[0]);
    if (!found || others.length > 0) return deny();
    c.set("key", found);
    await next();
  });
}

/** Whether this is the operator's token (contract §10), compared in constant time. */
export function isOperatorToken(c: Context<AppEnv>, given: string): boolean {
  const encoder = new TextEncoder();
  return sameBytes(encoder.encode(given), encoder.encode(settings(c).OPERATOR_TOKEN));
}

/** Whether a request carries the operator's token. */
export function isOperator(c: Context<AppEnv>): boolean {
  return isOperatorToken(c, bearerOf(c) ?? "");
}
