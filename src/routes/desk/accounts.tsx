import type { Context } from "hono";
import { firstKeys, openCustomer, requestedAccountId } from "../../accounts/open.ts";
import type { Wanted } from "../../accounts/open.ts";
import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { deskWordsOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import { accountBytes } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { planName } from "../../money/plans.ts";
import { findAccounts, openingDetails, typedCoins } from "../../operator/accounts.ts";
import { openAlertCount } from "../../operator/health.ts";
import { LENGTH_MAX } from "../../text/lengths.ts";
import { oneLine } from "../../text/one-line.ts";
import { DeskAccounts, DeskOpened } from "../../ui/desk/accounts.tsx";
import { DeskAlerts } from "../../ui/desk/health-glance.tsx";

/** Accounts on one page: each is asked for its balance. */
const PAGE_SIZE = 25;

async function list(c: Context<AppEnv>, more: { typed?: Record<string, string>; refused?: Refused } = {}) {
  const search = (c.req.query("q") ?? "").trim().slice(0, LENGTH_MAX.name);
  const { typed, refused } = more;
  const [found, alerts] = await Promise.all([
    findAccounts(c.env, { search, before: c.req.query("before") ?? "", limit: PAGE_SIZE }),
    openAlertCount(c.env),
  ]);
  const content = (
    <>
      <DeskAlerts count={alerts} />
      <DeskAccounts {...found} search={search} typed={typed} fault={refused} />
    </>
  );
  return showDesk(c, "accounts", content, {
    refused,
  });
}

const refuse = (field: string, error: string) => ({ ok: false, code: "invalid_request", error, field }) as const;

/** The fields that a new account is opened with, or what is wrong with them. */
function wantedOf(
  c: Context<AppEnv>,
  form: Record<string, string>,
): ({ ok: true } & Wanted) | ({ ok: false } & Refused) {
  const t = deskWordsOf(c);
  const name = oneLine(form["name"] ?? "");
  const plan = planName.safeParse(form["plan"]);
  if (name === "" || name.length > LENGTH_MAX.name || !plan.success) return refuse("name", t.badName);
  const [balance, otpRate] = ["balance", "otpRate"].map((field) => {
    const typed = form[field]?.trim() ?? "";
    return typed === "" ? undefined : (typedCoins(typed) ?? -1);
  });
  if (balance !== undefined && balance < 0) return refuse("balance", t.badBalance);
  if (otpRate !== undefined && otpRate < 0) return refuse("otpRate", t.badRate);
  return {
    ok: true,
    name,
    plan: plan.data,
    ...(balance !== undefined && { balance }),
    ...(otpRate !== undefined && { otpRate }),
  };
}

/** `/desk`: lists the accounts, and opens a new one. */
export const deskAccounts = (app: Api) => {
  app.get("/desk", page, atDesk("read"), async (c) => {
    const id = c.req.query("q")?.trim() ?? "";
    if (accountBytes(id)) return c.redirect(at(c, `/desk/accounts/${id}`), 303);
    return list(c);
  });

  app.post("/desk/accounts", page, atDesk("openAccounts"), async (c) => {
    const form = await formOf(c);
    const wanted = wantedOf(c, form);
    if (!wanted.ok) return list(c, { typed: form, refused: wanted });
    const config = settings(c);
    const { once = "" } = form;
    const accountId = await requestedAccountId(c.env, config, "desk", once === "" ? null : once);
    if ((await openCustomer(c.env, config, accountId, wanted)) === "other") {
      return list(c, { typed: form, refused: { code: "invalid_request", error: deskWordsOf(c).openedOther } });
    }
    const { name } = wanted;
    await audit(c, {
      action: "account.opened",
      accountId,
      subject: name,
      details: openingDetails(wanted),
      once: "opened",
    });
    const { live, test } = await firstKeys(c.env, config, accountId);
    const opened = { accountId, name: wanted.name, liveKey: live ?? "–", testKey: test ?? "–" };
    return showDesk(c, "accounts", <DeskOpened {...opened} />);
  });
};
