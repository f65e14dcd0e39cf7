import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, personOf, sessionOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { closeAccount, keepAccount } from "../../leaving/closing.ts";
import type { Closed } from "../../leaving/closing.ts";
import { exportReply, readExportPlace } from "../../leaving/export/export.ts";
import type { AccountView } from "../../model/account.ts";
import { objectOf } from "../../objects.ts";
import { NOTICES, dayOf, notify } from "../../sign-in/notices.ts";
import { isFresh, isPhoneFresh } from "../../sign-in/sessions.ts";
import { ClosePage } from "../../ui/settings/leaving.tsx";
import { leavingWords } from "../../ui/words/leaving.ts";

// A customer's way out: everything that the account has as one file, closing it, and taking that back.

const wordsOf = (c: Context<AppEnv>) => leavingWords[viewOf(c).lang];

/** Whether the person has just proved who they are: by a code, where they have a phone. */
function isProved(c: Context<AppEnv>): boolean {
  const [session, nowMs] = [sessionOf(c), Date.now()];
  return personOf(c).phone === null ? isFresh(session, nowMs) : isPhoneFresh(session, nowMs);
}

async function showClose(c: Context<AppEnv>, refused?: Refused): Promise<Response> {
  const person = personOf(c);
  const { accountId } = person;
  const view: AccountView | null = await objectOf(c.env, { accountId, mode: "live" }).view();
  if (view?.status === "closing") return c.redirect(at(c, "/settings"), 303);
  const { title } = wordsOf(c);
  const status = refusedStatus(c, refused);
  const content = (
    <ClosePage
      person={person}
      balance={view?.balance ?? 0}
      graceDays={settings(c).CLOSE_GRACE_DAYS}
      proved={isProved(c)}
      fault={refused}
    />
  );
  return show(c, content, { title, active: "settings", status });
}

function refuse(c: Context<AppEnv>, refused: Extract<Closed, { ok: false }>): Promise<Response> {
  const t = wordsOf(c);
  switch (refused.reason) {
    case "other_balance":
      return showClose(c, { code: "invalid_request", error: t.balanceChanged, field: "giveUp" });
    case "own":
      return showClose(c, { code: "permission_denied", error: t.ownAccount });
    case "unknown":
    case "erasing":
      return showClose(c, { code: "permission_denied", error: t.tooLate });
  }
}

async function close(c: Context<AppEnv>): Promise<Response> {
  if (!isProved(c)) return c.redirect(at(c, "/settings/close"), 303);
  const t = wordsOf(c);
  const { accountId, phone } = personOf(c);
  const { balance = "", giveUp } = await formOf(c);
  // What the page showed: a balance that changed since is shown again, and not given up.
  const named = /^[0-9]{1,15}$/u.test(balance) ? Number(balance) : 0;
  if (named > 0 && giveUp === undefined) {
    return showClose(c, { code: "invalid_request", error: t.giveUpFault, field: "giveUp" });
  }
  const closed = await closeAccount(c.env, { accountId, by: "customer", givesUp: named });
  if (!closed.ok) return refuse(c, closed);
  const { closesAt } = closed.row;
  await audit(c, { action: "account.closing", details: { erases: new Date(closesAt).toISOString() } });
  if (phone !== null) await notify(c, phone, NOTICES.closing(dayOf(closesAt)));
  return c.redirect(at(c, "/settings?saved=closed"), 303);
}

/** `/settings/close`, `/settings/keep` and `/settings/export`. */
export const leavingPages = (app: Api) => {
  app.get("/settings/close", page, signedIn, (c) => showClose(c));
  app.post("/settings/close", page, signedIn, freshlySignedIn, (c) => close(c));

  app.post("/settings/keep", page, signedIn, async (c) => {
    if (!(await keepAccount(c.env, personOf(c).accountId))) {
      return fail("permission_denied", wordsOf(c).tooLate, { forReader: true });
    }
    await audit(c, { action: "account.kept" });
    return c.redirect(at(c, "/settings?saved=kept"), 303);
  });

  app.get("/settings/keep", (c) => c.redirect(at(c, "/settings"), 303));

  app.get("/settings/export", page, signedIn, freshlySignedIn, async (c) => {
    const after = c.req.query("after");
    const place = after === undefined ? null : readExportPlace(after);
    if (after !== undefined && place === null) return c.redirect(at(c, "/settings"), 303);
    await audit(c, { action: "account.exported" });
    return exportReply(c.env, { accountId: personOf(c).accountId, after: place, nowMs: Date.now() });
  });
};
