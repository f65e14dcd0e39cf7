import type { Context } from "hono";
import { routePath } from "hono/route";
import type { AppEnv } from "../http/app.ts";
import { STATUS_OF_CODE } from "../http/errors.ts";
import type { Failure } from "../http/errors.ts";
import { fieldTypes } from "../http/field-types.ts";
import { objectName } from "../crypto/ids.ts";
import { consoleKeyId } from "../crypto/api-key.ts";
import type { ApiKey } from "../crypto/api-key.ts";
import { logProblem } from "../log.ts";
import { REFUSED_PER_MINUTE } from "../model/requests/refused.ts";
import type { RefusedRequest } from "../model/requests/refused.ts";
import { noteRefused } from "../queues/refused.ts";

// Notes requests with a valid key that were refused, for the account's request log (contract §13): after the reply, and
// so that it can neither fail nor delay one. A request that succeeds does nothing here.

/** The longest body whose fields are named, in characters: all of them but recordings, and bulks of the largest kind. */
const BODY_LENGTH_MAX = 262_144;

const PARAM_LENGTH_MAX = 100;
const ERROR_LENGTH_MAX = 300;

/** Counts what this isolate notes for each account in a minute, so that a flood costs one lookup each beyond that. */
class PerAccount {
  #minute = 0;
  readonly #counts = new Map<string, number>();

  /** Whether the account has room for one more. */
  admit(name: string, nowMs: number): boolean {
    const minute = Math.floor(nowMs / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count <= REFUSED_PER_MINUTE;
  }
}

const noted = new PerAccount();

/** The fields of the body that the route has read, or of the address of a request without one. */
async function fieldsOf(c: Context<AppEnv>): Promise<Record<string, string>> {
  // Hono types this cache as the text itself, but body.ts keeps a promise of it there.
  const text = await Promise.resolve(c.req.bodyCache.text);
  if (text === undefined) return fieldTypes(c.req.query());
  if (text.length > BODY_LENGTH_MAX) return {};
  try {
    return fieldTypes(JSON.parse(text));
  } catch {
    return {};
  }
}

async function note(c: Context<AppEnv>, key: ApiKey, refused: Omit<RefusedRequest, "fields">): Promise<void> {
  const request = { ...refused, fields: await fieldsOf(c) };
  noteRefused(c.env, c.executionCtx, { ...key, requests: [request] });
}

/** Notes the request if it had a valid key and was refused; a refusal of the key itself is no customer's. Never throws. */
export function logRefused(c: Context<AppEnv>, failure: Failure | undefined, nowMs: number): void {
  const key = c.get("key");
  if (!key || !failure || failure.code === "unauthorized") return;
  try {
    if (!noted.admit(objectName(key), nowMs)) return;
    const refused = {
      requestId: c.get("requestId"),
      at: nowMs,
      method: c.req.method,
      path: routePath(c, -1),
      status: STATUS_OF_CODE[failure.code],
      code: failure.code,
      param: failure.param?.slice(0, PARAM_LENGTH_MAX) ?? null,
      error: failure.error.slice(0, ERROR_LENGTH_MAX),
      keyId: key.keyId,
    };
    c.executionCtx.waitUntil(note(c, key, refused).catch((problem: unknown) => logProblem("request log", problem)));
  } catch (problem) {
    logProblem("request log", problem);
  }
}

/** The same for a request of this service's own: a tool's is the customer's, and a page shows its failures itself. */
export const logRefusedTool: typeof logRefused = (c, failure, nowMs) => {
  const key = c.get("key");
  if (key && key.keyId !== consoleKeyId(key.mode)) logRefused(c, failure, nowMs);
};
