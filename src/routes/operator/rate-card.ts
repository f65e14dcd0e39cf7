import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { rateCardSchema } from "../../money/pricing.ts";
import { cardChanges } from "../../operator/rate-card-form.ts";
import { storedRateCard, writeRateCard } from "../../sending/rate-card.ts";
import { operator } from "./operator.ts";

/** `GET` and `PUT /operator/rate-card`: the prices, in whole coins, changed without a deploy (contract §6). */
export const operatorRateCard = (app: Api) => {
  app.get("/operator/rate-card", operator("read"), async (c) =>
    c.json({ success: true, ...(await storedRateCard(c.env, c.executionCtx)) }),
  );

  app.put("/operator/rate-card", operator("prices"), jsonBody(rateCardSchema), async (c) => {
    const card = c.req.valid("json");
    // A card that cannot be read can still be replaced.
    const before = await storedRateCard(c.env, c.executionCtx).catch(() => null);
    await writeRateCard(c.env.RECORDINGS, card);
    await audit(c, { action: "card.changed", details: cardChanges(before, card) });
    return c.json({ success: true, ...card });
  });
};

export const docs = {
  "GET /operator/rate-card": {
    id: "operatorRateCard",
    tag: "Operator: service",
    summary: "Show the prices",
    reply: "RateCard",
  },
  "PUT /operator/rate-card": {
    id: "operatorChangeRateCard",
    tag: "Operator: service",
    summary: "Replace the prices",
    description: "They hold everywhere within five minutes. A field that is left out has its usual price.",
    reply: "RateCard",
  },
} satisfies Docs;
