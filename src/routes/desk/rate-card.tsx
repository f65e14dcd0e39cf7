import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { deskWordsOf, doneOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { CARD_PRICES, cardChanges, countryLines, readCard } from "../../operator/rate-card-form.ts";
import type { CardFault } from "../../operator/rate-card-form.ts";
import { storedRateCard, writeRateCard } from "../../sending/rate-card.ts";
import { DeskCard } from "../../ui/desk/rate-card.tsx";

function refusedFor(c: Context<AppEnv>, fault: CardFault): Refused {
  const t = deskWordsOf(c);
  const code = "invalid_request";
  if ("price" in fault) return { code, error: t.badPrice(t.card[fault.price]), field: fault.price };
  return { code, error: "line" in fault ? t.badLine(fault.line) : t.twice(fault.twice), field: "countries" };
}

/** `/desk/rate-card`: the prices, changed without a deploy (contract §6). */
export const deskRateCard = (app: Api) => {
  app.get("/desk/rate-card", page, atDesk("read"), async (c) => {
    const card = await storedRateCard(c.env, c.executionCtx);
    const prices = Object.fromEntries(CARD_PRICES.map((name) => [name, String(card[name])]));
    return showDesk(c, "card", <DeskCard typed={{ ...prices, countries: countryLines(card) }} done={doneOf(c)} />);
  });

  app.post("/desk/rate-card", page, atDesk("prices"), async (c) => {
    const form = await formOf(c);
    const read = readCard(form);
    if ("fault" in read) {
      const refused = refusedFor(c, read.fault);
      return showDesk(c, "card", <DeskCard typed={form} done={undefined} fault={refused} />, { refused });
    }
    // A card that cannot be read can still be replaced.
    const before = await storedRateCard(c.env, c.executionCtx).catch(() => null);
    await writeRateCard(c.env.RECORDINGS, read.card);
    await audit(c, { action: "card.changed", details: cardChanges(before, read.card) });
    return c.redirect(at(c, "/desk/rate-card?done=saved"), 303);
  });
};
