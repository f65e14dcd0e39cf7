import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { atDesk, refuseRole } from "../../console/desk-gate.tsx";
import { deskAccessOf, deskWordsOf, doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, viewOf } from "../../console/page.tsx";
import { accountBytes } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { AccountView, Amendment, Credited } from "../../model/account.ts";
import type { AccountRef, Mode } from "../../model/ref.ts";
import { planName } from "../../money/plans.ts";
import { objectOf } from "../../objects.ts";
import { accountAtDesk, amendAccount, amendmentActs, creditAct, typedCoins } from "../../operator/accounts.ts";
import { readRules, rulesAct, setRules } from "../../operator/rules.ts";
import { moneyBackOf } from "../../payments/money-back.ts";
import { listOrders } from "../../payments/orders.ts";
import { LENGTH_MAX } from "../../text/lengths.ts";
import { DeskAccount } from "../../ui/desk/account.tsx";
import { DeskOrders } from "../../ui/desk/money-back.tsx";
import { SuspendAccount } from "../../ui/desk/suspend.tsx";
import { Empty } from "../../ui/parts.tsx";
import { rulesWords } from "../../ui/words/rules.ts";

const modeOf = (text: string | undefined): Mode => (text === "test" ? "test" : "live");

const idOf = (c: Context<AppEnv>) => c.req.param("id") ?? "";

interface Shown {
  typed?: Record<string, string>;
  refused?: Refused;
  /** Shows numbers and the e-mail in full. */
  whole?: boolean;
}

function missing(c: Context<AppEnv>): Response {
  const t = deskWordsOf(c);
  return showDesk(c, "accounts", <Empty icon="person" title={t.noAccount} />, { title: t.noAccount, status: 404 });
}

async function showAccount(c: Context<AppEnv>, ref: AccountRef, shown: Shown = {}): Promise<Response> {
  const { typed, refused, whole = false } = shown;
  const found = accountBytes(ref.accountId) && (await accountAtDesk(c.env, settings(c), ref));
  if (!found) return missing(c);
  // Plans are bought for the live account.
  const orders = ref.mode === "live" ? await listOrders(c.env, ref.accountId) : [];
  const back = await moneyBackOf(c.env, ref.accountId, orders);
  const content = (
    <DeskAccount of={found} done={doneOf(c)} typed={typed} fault={refused} whole={whole}>
      <DeskOrders orders={orders} back={back} />
    </DeskAccount>
  );
  return showDesk(c, "accounts", content, { title: found.view.name, refused });
}

/** Each form changes one field, so that a stale page cannot overwrite the others. */
function changeOf(form: Record<string, string>): Amendment | null {
  const { status, plan, otpRate } = form;
  if (status !== undefined) return status === "active" || status === "suspended" ? { status } : null;
  if (plan !== undefined) {
    const named = planName.safeParse(plan);
    return named.success ? { plan: named.data } : null;
  }
  if (otpRate === undefined) return null;
  if (otpRate.trim() === "") return { otpRate: null };
  const units = typedCoins(otpRate);
  return units !== null && units >= 0 ? { otpRate: units } : null;
}

async function amend(c: Context<AppEnv>): Promise<Response> {
  const accountId = idOf(c);
  const typed = await formOf(c);
  const change = changeOf(typed);
  if (!change) {
    const refused = { code: "invalid_request", error: deskWordsOf(c).badRate, field: "otpRate" } as const;
    return showAccount(c, { accountId, mode: "live" }, { typed, refused });
  }
  const refused = change.status === undefined ? refuseRole(c, "terms") : null;
  if (refused) return refused;
  if (!accountBytes(accountId) || !(await amendAccount(c.env, accountId, change))) return missing(c);
  for (const act of amendmentActs(accountId, change)) await audit(c, act);
  return c.redirect(at(c, `/desk/accounts/${accountId}?done=changed`), 303);
}

async function credit(c: Context<AppEnv>): Promise<Response> {
  const t = deskWordsOf(c);
  const form = await formOf(c);
  const ref = { accountId: idOf(c), mode: modeOf(form["mode"]) };
  const again = (field: string, error: string) =>
    showAccount(c, ref, { typed: form, refused: { code: "invalid_request", error, field } });
  const amount = typedCoins(form["amount"] ?? "");
  const reference = form["reference"]?.trim() ?? "";
  const note = form["note"]?.trim() ?? "";
  if (amount === null || amount === 0) return again("amount", t.badAmount);
  if (reference === "" || reference.length > LENGTH_MAX.name) return again("reference", t.badReference);
  if (note.length > LENGTH_MAX.note) return again("note", t.badNote);
  if (!accountBytes(ref.accountId)) return missing(c);
  const asked = { amount, reference, requestId: c.get("requestId"), ...(note !== "" && { note }) };
  const credited: Credited | null = await objectOf(c.env, ref).credit(asked);
  if (!credited) return missing(c);
  if (!credited.ok) {
    // The form has no Idempotency-Key: its reference serves the same purpose.
    const reason = credited.reason === "idempotency_mismatch" ? "reference_mismatch" : credited.reason;
    return again(reason === "reference_mismatch" ? "reference" : "amount", t.refusals[reason]);
  }
  await audit(c, creditAct(ref, asked, credited.entry));
  const done = credited.replayed ? "replayed" : "booked";
  return c.redirect(at(c, `/desk/accounts/${ref.accountId}?mode=${ref.mode}&done=${done}`), 303);
}

async function changeRules(c: Context<AppEnv>): Promise<Response> {
  const accountId = idOf(c);
  const typed = await formOf(c);
  const read = readRules(typed);
  if ("fault" in read) {
    const error = rulesWords[viewOf(c).lang].faults[read.fault];
    return showAccount(
      c,
      { accountId, mode: "live" },
      { typed, refused: { code: "invalid_request", error, field: read.fault } },
    );
  }
  if (!accountBytes(accountId) || !(await setRules(c.env, accountId, read.rules))) return missing(c);
  await audit(c, rulesAct(accountId, read.rules));
  return c.redirect(at(c, `/desk/accounts/${accountId}?done=changed`), 303);
}

/** Shows the account with numbers and the e-mail in full, which the trail records. */
async function reveal(c: Context<AppEnv>): Promise<Response> {
  const { mode } = await formOf(c);
  const ref = { accountId: idOf(c), mode: modeOf(mode) };
  if (accountBytes(ref.accountId)) await audit(c, { action: "person.shown", accountId: ref.accountId });
  return showAccount(c, ref, { whole: true });
}

/** Asks before an account is suspended, and says what that does. */
async function askToSuspend(c: Context<AppEnv>): Promise<Response> {
  const ref = { accountId: idOf(c), mode: "live" } as const;
  const view: AccountView | null = accountBytes(ref.accountId) ? await objectOf(c.env, ref).view() : null;
  if (!view) return missing(c);
  if (view.status === "suspended") return c.redirect(at(c, `/desk/accounts/${ref.accountId}`), 303);
  const content = <SuspendAccount accountId={ref.accountId} name={view.name} />;
  return showDesk(c, "accounts", content, { title: deskAccessOf(c).suspendTitle(view.name) });
}

/** `/desk/accounts/:id`: one account; its status, plan, rate and balance. */
export const deskAccount = (app: Api) => {
  app.get("/desk/accounts/:id", page, atDesk("read"), (c) =>
    showAccount(c, { accountId: idOf(c), mode: modeOf(c.req.query("mode")) }),
  );
  app.get("/desk/accounts/:id/suspend", page, atDesk("standing"), (c) => askToSuspend(c));
  app.post("/desk/accounts/:id/standing", page, atDesk("standing"), (c) => amend(c));
  app.post("/desk/accounts/:id/rules", page, atDesk("terms"), (c) => changeRules(c));
  app.post("/desk/accounts/:id/reveal", page, atDesk("reveal"), (c) => reveal(c));
  // Changing the language on the page leads back to the account's address, by GET.
  for (const form of ["reveal", "rules"]) {
    const address = (c: Context<AppEnv>) => at(c, `/desk/accounts/${encodeURIComponent(idOf(c))}`);
    app.get(`/desk/accounts/:id/${form}`, (c) => c.redirect(address(c), 303));
  }
  app.post("/desk/accounts/:id/credits", page, atDesk("money"), (c) => credit(c));
};
