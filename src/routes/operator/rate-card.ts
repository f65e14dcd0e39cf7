import type { Api } from "../../app.ts";
import { jsonBody } from "../../body.ts";
import { rateCardSchema } from "../../pricing.ts";
import { currentRateCard, writeRateCard } from "../../rate-card.ts";
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
