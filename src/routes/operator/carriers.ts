import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { isBuiltInName } from "../../carriers/table.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, query } from "../../http/query.ts";
import { CARRIER_NAME } from "../../model/carrier/carrier.ts";
import type { CarrierHealth } from "../../model/carrier/health.ts";
import { carrierSetAct, carrierTestedAct } from "../../operator/carrier-set/acts.ts";
import { deleteCarrier, putCarrier } from "../../operator/carrier-set/change.ts";
import { carrierBody, refuseField } from "../../operator/carrier-set/read.ts";
import { allCarriers, bindsOf, carrierPage, showStored, withoutToken } from "../../operator/carrier-set/show.ts";
import type { ShownCarrier } from "../../operator/carrier-set/show.ts";
import { isTestNumber, tryOut } from "../../operator/carrier-set/try-out.ts";
import { carrierHealth } from "../../queues/pace-standing.ts";
import { may, missing, operator, timeOf } from "./operator.ts";

const healthWire = ({ state, sinceMs, lastError, minute, medianMs }: CarrierHealth) => ({
  state,
  since: timeOf(sinceMs),
  last_error: lastError && { code: lastError.code, at: timeOf(lastError.atMs) },
  minute,
  median_ms: medianMs,
});

const wire = (
  c: Context<AppEnv>,
  { name, kind, settings: set, secrets, tps, builtin, ...more }: ShownCarrier,
  health: CarrierHealth | null,
) => ({
  name,
  kind,
  settings: set,
  secrets,
  tps,
  builtin,
  callback_url: may(c, "carriers") ? more.callbackUrl : withoutToken(more.callbackUrl),
  health: health && healthWire(health),
  created_at: timeOf(more.createdAt),
  updated_at: timeOf(more.updatedAt),
});

/** A carrier with its health; one over SMPP with how its connections stand. */
async function wired(c: Context<AppEnv>, carrier: ShownCarrier) {
  const [health, standings] = await Promise.all([carrierHealth(c.env, carrier.name), bindsOf(c.env, carrier)]);
  const binds = standings?.map(({ n, mode, state, since, inFlight }) => {
    return { n, mode, state, since: timeOf(since), in_flight: inFlight };
  });
  const shown = wire(c, carrier, health);
  return { ...shown, health: shown.health && { ...shown.health, ...(binds && { binds }) } };
}

const readName = (text: string): string | null => (CARRIER_NAME.test(text) ? text : null);

const asked = query(z.object({ limit: limitField, after: afterField(readName) }));

const NAME = "The name of a carrier begins with a small letter and has at most 32 small letters, digits and dashes.";

/** Refuses a change of a built-in carrier. */
function demandOwn(name: string): void {
  if (isBuiltInName(name)) refuseField("name", `The carrier ${name} is built in: the deployment's settings make it.`);
}

const TO = "to must be a number with + and its country code, such as +919876543210.";
const TEXT = "text must be a string of 1 to 1000 characters.";

const testBody = z.strictObject({
  to: z
    .string(TO)
    .refine(isTestNumber, TO)
    .meta({ description: "Where to send it.", examples: ["+919876543210"] }),
  text: z.string(TEXT).min(1, TEXT).max(1_000, TEXT).nullish().meta({ description: "What to send." }),
});

/** `/operator/carriers`: named carriers, changed without a deploy (contract §16.1). */
export const operatorCarriers = (app: Api) => {
  app.get("/operator/carriers", operator("read"), asked, async (c) => {
    const { limit, after } = c.req.valid("query");
    const { page, next } = await carrierPage(c.env, c.executionCtx, after, limit);
    return c.json({
      success: true,
      data: await Promise.all(page.map((one) => wired(c, one))),
      has_more: next !== null,
      next,
    });
  });

  app.get("/operator/carriers/:name", operator("read"), async (c) => {
    const all = await allCarriers(c.env, c.executionCtx);
    const carrier = all.find(({ name }) => name === c.req.param("name")) ?? missing("carrier");
    return c.json({ success: true, carrier: await wired(c, carrier) });
  });

  app.put("/operator/carriers/:name", operator("carriers"), jsonBody(carrierBody), async (c) => {
    const name = c.req.param("name");
    if (readName(name) === null) refuseField("name", NAME);
    demandOwn(name);
    const given = c.req.valid("json");
    const stored = await putCarrier(c.env, name, given);
    await audit(c, carrierSetAct(stored, given));
    return c.json({ success: true, carrier: await wired(c, showStored(settings(c), stored)) });
  });

  app.delete("/operator/carriers/:name", operator("carriers"), async (c) => {
    const name = c.req.param("name");
    demandOwn(name);
    await deleteCarrier(c.env, name);
    await audit(c, { action: "carrier.deleted", subject: name });
    return c.json({ success: true, deleted: true });
  });

  app.post("/operator/carriers/:name/test", operator("carriers"), jsonBody(testBody), async (c) => {
    const name = c.req.param("name");
    const { to, text } = c.req.valid("json");
    const tried = await tryOut(c.env, c.executionCtx, name, to, text ?? undefined);
    const { outcome, carrierId, code, ms, answer } = tried;
    await audit(c, carrierTestedAct(name, to, tried));
    return c.json({ success: true, outcome, carrier_id: carrierId, code, ms, answer });
  });
};

const path = { name: "The carrier's name." };

export const docs = {
  "GET /operator/carriers": {
    id: "operatorCarriers",
    tag: "Operator: carriers",
    summary: "List the carriers",
    description: "By their names, with those that the settings of the deployment make.",
    reply: "CarrierList",
  },
  "GET /operator/carriers/:name": {
    id: "operatorCarrier",
    tag: "Operator: carriers",
    summary: "Show a carrier",
    description:
      "Its settings with their defaults; of its secrets only the names. The token in `callback_url` is shown to the role `admin`.",
    reply: "CarrierReply",
    path,
  },
  "PUT /operator/carriers/:name": {
    id: "operatorSetCarrier",
    tag: "Operator: carriers",
    summary: "Set a carrier up, or replace how it is set up",
    description: [
      "A secret that is left out stays as it is, the kind being the same; `null` removes it. A wrong setting is refused with",
      "its path in `param`, and changes nothing. It holds everywhere within five minutes. What the carrier was given before",
      "still takes its receipts.",
    ].join("\n"),
    reply: "CarrierReply",
    codes: ["too_many"],
    path,
  },
  "DELETE /operator/carriers/:name": {
    id: "operatorDeleteCarrier",
    tag: "Operator: carriers",
    summary: "Delete a carrier",
    description: "Not while a route names it. What it was given still takes its receipts.",
    reply: "CarrierDeleted",
    codes: ["in_use"],
    path,
  },
  "POST /operator/carriers/:name/test": {
    id: "operatorTestCarrier",
    tag: "Operator: carriers",
    summary: "Send one real message by a carrier",
    description: "Shows the carrier's raw answer, in which each of its secrets is `***`. No account pays for it.",
    reply: "CarrierTested",
    idempotent: false,
    path,
  },
} satisfies Docs;
