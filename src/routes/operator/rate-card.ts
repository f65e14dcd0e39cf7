import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import { rateCardSchema } from "../../money/pricing.ts";
import { currentRateCard, writeRateCard } from "../../sending/rate-card.ts";
import { operator } from "./operator.ts";

/** `GET` and `PUT /operator/rate-card`: the prices, in whole coins, changed without a deploy (contract §6). */
export const operatorRateCard = (app: Api) => {
  app.get("/operator/rate-card", operator, async (c) =>
    c.json({ success: true, ...(await currentRateCard(c.env.RECORDINGS)) }),
  );

  app.put("/operator/rate-card", operator, jsonBody(rateCardSchema), async (c) => {
    const card = c.req.valid("json");
    await writeRateCard(c.env.RECORDINGS, card);
    return c.json({ success: true, ...card });
  });
};
