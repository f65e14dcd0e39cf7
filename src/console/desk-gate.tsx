import type { Context, MiddlewareHandler } from "hono";
import { audit } from "../audit/audit.ts";
import { operatorByAccess, usesAccess } from "../http/access.ts";
import type { ByAccess } from "../http/access.ts";
import type { AppEnv } from "../http/app.ts";
import { STATUS_OF_CODE, fail } from "../http/errors.ts";
import { TOKEN_HOLDER, leastRole, mayDo } from "../model/operator.ts";
import type { Operator, Permission } from "../model/operator.ts";
import { findDeskSession } from "../sign-in/desk-sessions.ts";
import { DeskClosed } from "../ui/desk/access.tsx";
import { deskAccess, deskWords } from "../ui/desk/words.ts";
import { at, safeNext, show, viewOf, wantsJson } from "./page.tsx";

// Who may enter the desk: by Cloudflare Access where it is configured, and else by a session of the operator's token. The
// operator has a separate session: a customer's does not open the desk, and the operator's opens no customer's pages.

/** Where Cloudflare Access ends its session of the host that it protects. */
export const ACCESS_SIGN_OUT = "/cdn-cgi/access/logout";

const NOT_ALLOWED = {
  missing: "unauthorized",
  invalid: "unauthorized",
  unavailable: "unavailable",
  no_role: "permission_denied",
} as const;

/** Answers that the desk stays closed to this request, with the reason. */
export function refuseDesk(
  c: Context<AppEnv>,
  sentence: string,
  code: (typeof NOT_ALLOWED)[keyof typeof NOT_ALLOWED],
): Response {
  if (wantsJson(c)) return fail(code, sentence, { forReader: true });
  c.set("failureCode", code);
  const status = STATUS_OF_CODE[code];
  const signOut = usesAccess(c) ? ACCESS_SIGN_OUT : null;
  return show(c, <DeskClosed sentence={sentence} signOut={signOut} />, {
    title: String(status),
    bare: true,
    kind: "desk",
    status,
  });
}

/** The sentence for the reason why Cloudflare Access did not open the desk. */
function closedBecause(c: Context<AppEnv>, refused: ByAccess & { ok: false }): Response {
  const t = deskAccess[viewOf(c).lang];
  const sentence = refused.reason === "no_role" ? t.noRole(refused.email) : t.closed[refused.reason];
  return refuseDesk(c, sentence, NOT_ALLOWED[refused.reason]);
}

/** Sessions of Cloudflare Access that this isolate has noted; each is also recorded once in the trail. */
const noted = new Set<string>();
const NOTED_MAX = 1_000;

/** Records the sign-in at Cloudflare Access with the first request of its session. */
async function noteSession(c: Context<AppEnv>, session: string): Promise<void> {
  if (noted.has(session)) return;
  if (noted.size >= NOTED_MAX) noted.clear();
  noted.add(session);
  await audit(c, { action: "session.started", details: { by: "access" }, once: session });
}

async function enterByAccess(c: Context<AppEnv>): Promise<Response | Operator> {
  const found = await operatorByAccess(c);
  if (!found.ok) return closedBecause(c, found);
  c.set("operator", found.operator);
  await noteSession(c, found.operator.session ?? "");
  return found.operator;
}

async function enterByToken(c: Context<AppEnv>): Promise<Response | Operator> {
  const session = await findDeskSession(c);
  if (session !== null) return { ...TOKEN_HOLDER, session };
  if (wantsJson(c)) return fail("unauthorized", deskWords[viewOf(c).lang].closed, { forReader: true });
  const path = c.req.method === "GET" ? c.req.path + new URL(c.req.url).search : "/desk";
  return c.redirect(`${at(c, "/desk/sign-in")}?next=${encodeURIComponent(safeNext(path))}`, 303);
}

/** The reply to an operator whose role may not do this; null for one who may. */
export function refuseRole(c: Context<AppEnv>, permission: Permission): Response | null {
  const operator = c.get("operator");
  if (!operator) throw new Error("a role is asked for where no operator has entered");
  if (mayDo(operator.role, permission)) return null;
  const t = deskAccess[viewOf(c).lang];
  const sentence = t.roleRefused(t.roles[operator.role], t.roles[leastRole(permission)]);
  return refuseDesk(c, sentence, "permission_denied");
}

/** Middleware of the desk's pages: only operators who may do this pass. Without a session it leads to the sign-in. */
export function atDesk(permission: Permission): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const entered = await (usesAccess(c) ? enterByAccess(c) : enterByToken(c));
    if (entered instanceof Response) return entered;
    c.set("operator", entered);
    return refuseRole(c, permission) ?? next();
  };
}
