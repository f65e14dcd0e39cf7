import type { Context } from "hono";
import { deskWordsOf } from "../../console/desk-page.tsx";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, safeNext, show } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { isOperatorToken } from "../../http/auth.ts";
import { admitDesk } from "../../sign-in/attempts.ts";
import { endSession, startSession } from "../../sign-in/sessions.ts";
import { DeskDoor } from "../../ui/desk/frame.tsx";

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

/** `/desk/sign-in` and `/desk/sign-out`: the operator's token opens the desk. */
export const deskDoor = (app: Api) => {
  app.get("/desk/sign-in", page, (c) => door(c, deskNext(c.req.query("next"))));

  app.post("/desk/sign-in", page, async (c) => {
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
    await startSession(c, "operator");
    return c.redirect(at(c, deskNext(next)), 303);
  });

  app.post("/desk/sign-out", page, async (c) => {
    await endSession(c, "operator");
    return c.redirect(at(c, "/desk/sign-in"), 303);
  });
};
