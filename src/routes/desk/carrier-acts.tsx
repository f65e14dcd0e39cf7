import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { carrierTextsOf, refusable, showCarriers } from "../../console/carrier-pages.tsx";
import { atDesk } from "../../console/desk-gate.tsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import type { Failure } from "../../http/errors.ts";
import { carrierTestedAct } from "../../operator/carrier-set/acts.ts";
import { deleteCarrier } from "../../operator/carrier-set/change.ts";
import { storedRoutes } from "../../operator/carrier-set/show.ts";
import { isTestNumber, tryOut } from "../../operator/carrier-set/try-out.ts";
import type { TriedOut } from "../../operator/carrier-set/try-out.ts";
import { isRouted } from "../../routing/read.ts";
import type { CarrierTexts } from "../../ui/desk/carrier-set/texts.ts";
import { DeleteCarrier, TestCarrier } from "../../ui/desk/carrier-set/trial.tsx";
import { carrierInPath, noCarrier } from "./carriers.tsx";

/** The most characters of a test message. */
const TEXT_LENGTH_MAX = 1_000;

interface Test {
  typed?: Record<string, string>;
  refused?: Refused;
  tried?: TriedOut;
}

function testPage(
  c: Context<AppEnv>,
  texts: CarrierTexts,
  name: string,
  { typed = {}, refused, tried }: Test,
): Response {
  const content = <TestCarrier name={name} typed={typed} fault={refused} tried={tried} />;
  return showCarriers(c, texts, content, { title: name, refused });
}

/** What is wrong with the form of a test. */
function testFault({ trial }: CarrierTexts, form: Record<string, string>): Refused | null {
  const code = "invalid_request";
  if (!isTestNumber(form["to"]?.trim() ?? "")) return { code, field: "to", error: trial.badNumber };
  if ((form["text"] ?? "").length > TEXT_LENGTH_MAX) return { code, field: "text", error: trial.badText };
  return form["sure"] === "1" ? null : { code, field: "sure", error: trial.notSure };
}

/** Why nothing was sent. */
const unsent = ({ trial }: CarrierTexts, { code }: Failure): Refused => ({
  code,
  error: code === "unavailable" ? trial.unusable : trial.unfit,
});

async function sendTest(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const name = (await carrierInPath(c))?.name;
  const typed = await formOf(c);
  if (name === undefined) return noCarrier(c, texts);
  const refused = testFault(texts, typed);
  if (refused) return testPage(c, texts, name, { typed, refused });
  const [to, text] = [typed["to"]?.trim() ?? "", typed["text"]?.trim() || undefined];
  const sent = await refusable(() => tryOut(c.env, c.executionCtx, name, to, text));
  if (!sent.ok) return testPage(c, texts, name, { typed, refused: unsent(texts, sent.failure) });
  await audit(c, carrierTestedAct(name, to, sent.value));
  return testPage(c, texts, name, { typed, tried: sent.value });
}

/** The numbers of the routes that name a carrier, from 1. */
async function routesNaming(c: Context<AppEnv>, name: string): Promise<number[]> {
  const routes = await storedRoutes(c.env, c.executionCtx);
  return routes.flatMap((route, at) => (isRouted([route], name) ? [at + 1] : []));
}

async function askToDelete(c: Context<AppEnv>, inUse = false): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const one = await carrierInPath(c);
  if (!one || one.builtin) return noCarrier(c, texts);
  const routes = await routesNaming(c, one.name);
  const content = <DeleteCarrier name={one.name} routes={routes} />;
  return showCarriers(c, texts, content, { title: one.name, status: inUse ? 409 : 200 });
}

async function remove(c: Context<AppEnv>): Promise<Response> {
  const name = c.req.param("name") ?? "";
  await formOf(c);
  const done = await refusable(() => deleteCarrier(c.env, name));
  if (!done.ok) return askToDelete(c, done.failure.code === "in_use");
  await audit(c, { action: "carrier.deleted", subject: name });
  return c.redirect(at(c, "/desk/carriers?done=deleted"), 303);
}

/** What is done with one carrier: a test message, and its end. */
export const deskCarrierActs = (app: Api) => {
  app.get("/desk/carriers/:name/test", page, atDesk("carriers"), async (c) => {
    const texts = await carrierTextsOf(c);
    const one = await carrierInPath(c);
    return one ? testPage(c, texts, one.name, {}) : noCarrier(c, texts);
  });
  app.post("/desk/carriers/:name/test", page, atDesk("carriers"), (c) => sendTest(c));
  app.get("/desk/carriers/:name/delete", page, atDesk("carriers"), (c) => askToDelete(c));
  app.post("/desk/carriers/:name/delete", page, atDesk("carriers"), (c) => remove(c));
};
