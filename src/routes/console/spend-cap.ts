import { audit } from "../../audit/audit.ts";
import { formOf } from "../../console/forms.ts";
import { at, page, personOf, signedIn, viewOf } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { coins } from "../../money/money.ts";
import { setRules, typedCap } from "../../operator/rules.ts";
import { rulesWords } from "../../ui/words/rules.ts";
import { saved, showSettings } from "./settings.tsx";

/** `/settings/spend-cap`: what a day may cost, as the account's owner sets it; never above the operator's. */
export const spendCap = (app: Api) => {
  app.post("/settings/spend-cap", page, signedIn, async (c) => {
    const form = await formOf(c);
    const ownDayCap = typedCap(form["cap"] ?? "");
    if (ownDayCap === undefined) {
      const error = rulesWords[viewOf(c).lang].faults.cap;
      return showSettings(c, { code: "invalid_request", error, field: "cap", typed: form });
    }
    const { accountId } = personOf(c);
    await setRules(c.env, accountId, { ownDayCap });
    await audit(c, { action: "account.own_cap", details: { cap: ownDayCap === null ? null : coins(ownDayCap) } });
    return saved(c, "cap");
  });

  // Changing the language on a form's reply leads back to the form's address, by GET.
  app.get("/settings/spend-cap", (c) => c.redirect(at(c, "/settings"), 303));
};
