import { paymentsOf } from "../../config/config.ts";
import { page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { objectOf } from "../../objects.ts";
import { moneyBackOf } from "../../payments/money-back.ts";
import { listOrders } from "../../payments/orders.ts";
import { DebtCard, Disputes, Notes, ownNotePath } from "../../ui/billing/money-back.tsx";
import { BuyerCard, Plans, Standing } from "../../ui/billing/plans.tsx";
import { Orders } from "../../ui/billing/orders.tsx";
import { Notice, PageHead } from "../../ui/parts.tsx";
import { billing } from "../../ui/words/billing.ts";

/** `/billing`. */
export const billingPages = (app: Api) =>
  app.get("/billing", page, signedIn, async (c) => {
    const { accountId, buyer } = personOf(c);
    // Plans are bought for the live account, whatever mode the pages show.
    const live = objectOf(c.env, { accountId, mode: "live" });
    const [account, orders] = await Promise.all([live.view(), listOrders(c.env, accountId)]);
    if (!account) return fail("not_found", "There is no account here.");
    const back = await moneyBackOf(c.env, accountId, orders);
    const { lang, mode } = viewOf(c);
    const t = billing[lang];
    const config = settings(c);
    const sold = paymentsOf(config) !== "none";
    return show(
      c,
      <>
        <PageHead title={t.title} lead={t.lead} />
        {mode === "test" && <Notice tone="info">{t.testNotice}</Notice>}
        {!sold && <Notice tone="info">{t.notSold}</Notice>}
        {account.status === "suspended" && <Notice tone="bad">{t.suspended}</Notice>}
        <Standing account={account} />
        <DebtCard debts={back.debts} />
        <Plans account={account} sold={sold} taxed={config.SELLER_GSTIN !== undefined} />
        <Orders orders={orders} />
        <Disputes disputes={back.disputes} />
        <Notes notes={back.notes} pathOf={ownNotePath} />
        <BuyerCard buyer={buyer} />
      </>,
      { title: t.title, active: "billing" },
    );
  });
