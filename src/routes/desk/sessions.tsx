import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import { usesAccess } from "../../http/access.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import {
  DESK_LIFETIME_MS,
  endAllDeskSessions,
  endDeskSessionOf,
  listDeskSessions,
} from "../../sign-in/desk-sessions.ts";
import { DeskSessions } from "../../ui/desk/sessions.tsx";

async function showSessions(c: Context<AppEnv>): Promise<Response> {
  const sessions = usesAccess(c) ? null : await listDeskSessions(c);
  const content = <DeskSessions sessions={sessions} lifetimeMs={DESK_LIFETIME_MS} done={doneOf(c)} />;
  return showDesk(c, "sessions", content);
}

/** `/desk/sessions`: lists the sessions of the desk, and ends one or all. */
export const deskSessions = (app: Api) => {
  app.get("/desk/sessions", page, atDesk("read"), (c) => showSessions(c));

  app.post("/desk/sessions", page, atDesk("sessions"), async (c) => {
    const { session = "" } = await formOf(c);
    const found = await endDeskSessionOf(c, session);
    if (found) await audit(c, { action: "session.ended", subject: session });
    return c.redirect(at(c, `/desk/sessions?done=${found ? "ended" : "gone"}`), 303);
  });

  app.post("/desk/sessions/end-all", page, atDesk("sessions"), async (c) => {
    await endAllDeskSessions(c);
    await audit(c, { action: "sessions.ended" });
    return c.redirect(at(c, "/desk/sign-in"), 303);
  });

  // Changing the language on the reply to a form leads back to the form's address, by GET.
  app.get("/desk/sessions/end-all", (c) => c.redirect(at(c, "/desk/sessions"), 303));
};
