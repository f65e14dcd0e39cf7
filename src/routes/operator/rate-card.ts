import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import { rateCardSchema } from "../../money/pricing.ts";
import { cardChanges } from "../../operator/rate-card-form.ts";
import { currentRateCard, writeRateCard } from "../../sending/rate-card.ts";
import { operator } from "./operator.ts";

/** `GET` and `PUT /operator/rate-card`: the prices, in whole coins, changed without a deploy (contract §6). */
export const operatorRateCard = (app: Api) => {
  app.get("/operator/rate-card", operator("read"), async (c) =>
    c.json({ success: true, ...(await currentRateCard(c.env.RECORDINGS)) }),
  );

  app.put("/operator/rate-card", operator("prices"), jsonBody(rateCardSchema), async (c) => {
    const card = c.req.valid("json");
    // A card that cannot be read can still be replaced.
    const before = await currentRateCard(c.env.RECORDINGS).catch(() => null);
    await writeRateCard(c.env.RECORDINGS, card);
    await audit(c, { action: "card.changed", details: cardChanges(before, card) });
    return c.json({ success: true, ...card });
  });
};
