import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { ACCESS_SIGN_OUT, atDesk, refuseDesk } from "../../console/desk-gate.tsx";
import { deskAccessOf, deskWordsOf } from "../../console/desk-page.tsx";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, safeNext, show } from "../../console/page.tsx";
import { usesAccess } from "../../http/access.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { isOperatorToken } from "../../http/auth.ts";
import { TOKEN_HOLDER } from "../../model/operator.ts";
import { admitDesk } from "../../sign-in/attempts.ts";
import { endDeskSession, startDeskSession } from "../../sign-in/desk-sessions.ts";
import { DeskDoor } from "../../ui/desk/frame.tsx";
import { readDeskWords } from "../../ui/desk/words.ts";

function door(c: Context<AppEnv>, next: string, refused?: Refused): Response {
  const title = deskWordsOf(c).signInTitle;
  const status = refusedStatus(c, refused);
  return show(c, <DeskDoor next={next} fault={refused} />, { title, bare: true, status });
}

/** The page that the sign-in leads back to: one of the desk, never one of a customer. */
function deskNext(next: string | undefined): string {
  const path = safeNext(next);
  return /^\/desk(?![\w-])/u.test(path) ? path : "/desk";
}

async function signIn(c: Context<AppEnv>): Promise<Response> {
  if (usesAccess(c)) return refuseDesk(c, deskAccessOf(c).closed.missing, "unauthorized");
  const { token = "", next } = await formOf(c);
  const t = deskWordsOf(c);
  const admitted = await admitDesk(c);
  const field = "token";
  if (!admitted.ok) {
    const { retryAfterSec } = admitted;
    const error = t.tooManyTries(retryAfterSec);
    return door(c, deskNext(next), { code: "rate_limited", error, field, retryAfterSec });
  }
  if (!isOperatorToken(c, token.trim())) {
    return door(c, deskNext(next), { code: "unauthorized", error: t.wrongToken, field });
  }
  const session = await startDeskSession(c);
  c.set("operator", { ...TOKEN_HOLDER, session });
  await audit(c, { action: "session.started", details: { by: "token" } });
  return c.redirect(at(c, deskNext(next)), 303);
}

/**
 * `/desk/sign-in` and `/desk/sign-out`: the operator's token opens the desk. Where Cloudflare Access does, the token
 * opens the operator API only: its holder has no name.
 */
export const deskDoor = (app: Api) => {
  // Every page of the desk needs its words; this file is mounted before the others.
  app.use("/desk/*", async (c, next) => {
    await readDeskWords(c.env);
    await next();
  });

  app.get("/desk/sign-in", page, (c) => {
    const next = deskNext(c.req.query("next"));
    return usesAccess(c) ? c.redirect(at(c, next), 303) : door(c, next);
  });

  app.post("/desk/sign-in", page, (c) => signIn(c));

  app.post("/desk/sign-out", page, atDesk("read"), async (c) => {
    await audit(c, { action: "session.ended" });
    if (usesAccess(c)) return c.redirect(ACCESS_SIGN_OUT, 303);
    await endDeskSession(c);
    return c.redirect(at(c, "/desk/sign-in"), 303);
  });
};
