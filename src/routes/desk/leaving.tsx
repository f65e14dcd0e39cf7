import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, viewOf } from "../../console/page.tsx";
import { accountBytes } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { closeAccount, closingOf, eraseAccount, keepAccount } from "../../leaving/closing.ts";
import type { Closed, Erased } from "../../leaving/closing.ts";
import { exportReply, readExportPlace } from "../../leaving/export/export.ts";
import { listErasures } from "../../leaving/list.ts";
import type { AccountView } from "../../model/account.ts";
import { objectOf } from "../../objects.ts";
import { NOTICES, dayOf, notify } from "../../sign-in/notices.ts";
import { personWith } from "../../sign-in/people.ts";
import { DeskLeave, DeskLeaving } from "../../ui/desk/leaving.tsx";
import { leavingWords } from "../../ui/words/leaving.ts";

// `/desk/leaving`, and the page on which an account is exported, closed, kept or erased.

const wordsOf = (c: Context<AppEnv>) => leavingWords[viewOf(c).lang];

const idOf = (c: Context<AppEnv>) => c.req.param("id") ?? "";

const PER_PAGE = 50;

const DAYS_MAX = 365;

/** Shows the page of one account; back to the list where there is none. */
async function showLeave(c: Context<AppEnv>, typed: Record<string, string> = {}, refused?: Refused): Promise<Response> {
  const accountId = idOf(c);
  const view: AccountView | null = accountBytes(accountId)
    ? await objectOf(c.env, { accountId, mode: "live" }).view()
    : null;
  if (!view) return c.redirect(at(c, "/desk/leaving"), 303);
  const closing = await closingOf(c.env, accountId);
  const graceDays = settings(c).CLOSE_GRACE_DAYS;
  const content = (
    <DeskLeave
      accountId={accountId}
      view={view}
      closing={closing}
      graceDays={graceDays}
      typed={typed}
      fault={refused}
    />
  );
  return showDesk(c, "leaving", content, { title: wordsOf(c).deskTitle(view.name), refused });
}

type Form = "close" | "erase";

function refuse(
  c: Context<AppEnv>,
  form: Form,
  typed: Record<string, string>,
  refused: Exclude<Closed | Erased, { ok: true }>,
): Promise<Response> {
  const t = wordsOf(c);
  const again = (error: string, field?: string) =>
    showLeave(c, typed, { code: "permission_denied", error, ...(field !== undefined && { field }) });
  switch (refused.reason) {
    case "unknown":
      return showLeave(c);
    case "own":
      return again(t.ownAccount);
    case "erasing":
      return again(t.tooLate);
    case "other_balance":
      return again(t.balanceChanged, `giveUp-${form}`);
    case "balance":
      return again(t.giveUpFault, `giveUp-${form}`);
    default:
      return again(t.cannot(t.hindrances[refused.reason]));
  }
}

/** Units of the balance that the form gives up, as its page showed them; null for none. */
function givesUpOf({ balance = "", giveUp }: Record<string, string>): number | null {
  return giveUp !== undefined && /^[0-9]{1,15}$/u.test(balance) ? Number(balance) : null;
}

async function close(c: Context<AppEnv>): Promise<Response> {
  const typed = await formOf(c);
  const days = (typed["graceDays"] ?? "").trim();
  const graceDays = /^[0-9]{1,3}(?:\.[0-9]{1,2})?$/u.test(days) ? Number(days) : DAYS_MAX + 1;
  if (graceDays > DAYS_MAX) {
    return showLeave(c, typed, { code: "invalid_request", error: wordsOf(c).badDays, field: "graceDays" });
  }
  const accountId = idOf(c);
  if (!accountBytes(accountId)) return showLeave(c);
  const phone = (await personWith(c.env, { accountId }))?.phone ?? null;
  const closed = await closeAccount(c.env, { accountId, by: "operator", graceDays, givesUp: givesUpOf(typed) });
  if (!closed.ok) return refuse(c, "close", typed, closed);
  const { closesAt } = closed.row;
  await audit(c, { action: "account.closing", accountId, details: { erases: new Date(closesAt).toISOString() } });
  if (phone !== null) await notify(c, phone, NOTICES.closing(dayOf(closesAt)));
  return c.redirect(at(c, "/desk/leaving?done=closing"), 303);
}

async function erase(c: Context<AppEnv>): Promise<Response> {
  const typed = await formOf(c);
  const accountId = idOf(c);
  if (!accountBytes(accountId)) return showLeave(c);
  if ((typed["typedId"] ?? "").trim() !== accountId) {
    return showLeave(c, typed, { code: "invalid_request", error: wordsOf(c).badId, field: "typedId" });
  }
  const erased = await eraseAccount(c.env, { accountId, by: "operator", givesUp: givesUpOf(typed) });
  if (!erased.ok) return refuse(c, "erase", typed, erased);
  await audit(c, { action: "account.erased", accountId, once: "asked" });
  return c.redirect(at(c, "/desk/leaving?done=erasing"), 303);
}

async function keep(c: Context<AppEnv>): Promise<Response> {
  const accountId = idOf(c);
  if (!accountBytes(accountId) || !(await keepAccount(c.env, accountId))) {
    return showLeave(c, {}, { code: "permission_denied", error: wordsOf(c).tooLate });
  }
  await audit(c, { action: "account.kept", accountId });
  return c.redirect(at(c, "/desk/leaving?done=kept"), 303);
}

/** The pages of accounts that leave. */
export const deskLeaving = (app: Api) => {
  app.get("/desk/leaving", page, atDesk("read"), async (c) => {
    const { rows, next } = await listErasures(c.env, c.req.query("before") ?? null, PER_PAGE);
    return showDesk(c, "leaving", <DeskLeaving rows={rows} next={next} done={doneOf(c)} />);
  });

  app.get("/desk/accounts/:id/leave", page, atDesk("leaving"), (c) => showLeave(c));
  app.post("/desk/accounts/:id/close", page, atDesk("leaving"), (c) => close(c));
  app.post("/desk/accounts/:id/keep", page, atDesk("leaving"), (c) => keep(c));
  app.post("/desk/accounts/:id/erase", page, atDesk("leaving"), (c) => erase(c));

  // Changing the language on the reply to a form leads back to the form's address, by GET.
  for (const form of ["close", "keep", "erase"]) {
    app.get(`/desk/accounts/:id/${form}`, (c) =>
      c.redirect(at(c, `/desk/accounts/${encodeURIComponent(c.req.param("id"))}/leave`), 303),
    );
  }

  app.get("/desk/accounts/:id/export", page, atDesk("leaving"), async (c) => {
    const accountId = idOf(c);
    const after = readExportPlace(c.req.query("after") ?? "");
    const view = accountBytes(accountId) && (await objectOf(c.env, { accountId, mode: "live" }).view());
    if (!view) return c.redirect(at(c, "/desk/leaving"), 303);
    await audit(c, { action: "account.exported", accountId });
    return exportReply(c.env, { accountId, after, nowMs: Date.now() });
  });
};
