import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { newestDisputes } from "../../payments/disputes.ts";
import { quarantinedEvents, resolveEvent } from "../../payments/events.ts";
import { newestNotes } from "../../payments/notes.ts";
import { Notes } from "../../ui/billing/money-back.tsx";
import { DeskDisputes, deskNotePath } from "../../ui/desk/money-back.tsx";
import { DeskPayments } from "../../ui/desk/payments.tsx";

const EVENTS_SHOWN_MAX = 100;

/** `/desk/payments`: the quarantined events of payment providers, which changed nothing; disputes and credit notes. */
export const deskPayments = (app: Api) => {
  app.get("/desk/payments", page, atDesk("read"), async (c) => {
    const events = await quarantinedEvents(c.env, EVENTS_SHOWN_MAX);
    const [disputes, notes] = await Promise.all([newestDisputes(c.env), newestNotes(c.env)]);
    return showDesk(
      c,
      "payments",
      <DeskPayments events={events} done={doneOf(c)}>
        <DeskDisputes disputes={disputes} />
        <Notes notes={notes} pathOf={deskNotePath} />
      </DeskPayments>,
    );
  });

  app.post("/desk/payments", page, atDesk("payments"), async (c) => {
    const { provider = "", event = "" } = await formOf(c);
    const resolved = await resolveEvent(c.env, provider, event);
    if (resolved) await audit(c, { action: "payment.resolved", subject: `${provider} ${event}` });
    return c.redirect(at(c, `/desk/payments?done=${resolved ? "resolved" : "gone"}`), 303);
  });
};
