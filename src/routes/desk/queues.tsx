import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { queueDepths } from "../../operator/queue-depths.ts";
import { deadLetters, forgetDeadLetter, retryDeadLetter } from "../../queues/dead.ts";
import { DeskQueues } from "../../ui/desk/queues.tsx";

const LETTERS_SHOWN_MAX = 50;

/** `/desk/queues`: the depth of the queues, and dead letters, which the operator queues again or deletes. */
export const deskQueues = (app: Api) => {
  app.get("/desk/queues", page, atDesk("read"), async (c) => {
    const [depths, dead] = await Promise.all([queueDepths(c.env), deadLetters(c.env, LETTERS_SHOWN_MAX)]);
    return showDesk(c, "queues", <DeskQueues depths={depths} {...dead} done={doneOf(c)} />);
  });

  app.post("/desk/queues/dead-letters", page, atDesk("queues"), async (c) => {
    const form = await formOf(c);
    const id = form["id"] ?? "";
    const retry = form["do"] === "retry";
    const found = retry ? await retryDeadLetter(c.env, id) : await forgetDeadLetter(c.env, id);
    if (found) await audit(c, { action: retry ? "letter.requeued" : "letter.deleted", subject: id });
    const done = found ? (retry ? "retried" : "forgotten") : "gone";
    return c.redirect(at(c, `/desk/queues?done=${done}`), 303);
  });
};
