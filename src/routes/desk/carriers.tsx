import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { isBuiltInName } from "../../carriers/table.ts";
import { carrierTextsOf, refusable, showCarriers } from "../../console/carrier-pages.tsx";
import { atDesk } from "../../console/desk-gate.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import { CARRIER_NAME } from "../../model/carrier/carrier.ts";
import { mayDo } from "../../model/operator.ts";
import { carrierSetAct } from "../../operator/carrier-set/acts.ts";
import { carriersAtDesk } from "../../operator/carrier-set/at-desk.ts";
import { putCarrier } from "../../operator/carrier-set/change.ts";
import {
  carrierOfForm,
  fieldAt,
  isSetUpKind,
  secretsAsked,
  typedOf,
  withTicks,
} from "../../operator/carrier-set/form.ts";
import type { SetUpKind } from "../../operator/carrier-set/form.ts";
import { readAloud } from "../../operator/carrier-set/read-aloud.ts";
import type { ReadAloud } from "../../operator/carrier-set/read-aloud.ts";
import { givenCarrier } from "../../operator/carrier-set/read.ts";
import { allCarriers, withoutToken } from "../../operator/carrier-set/show.ts";
import type { ShownCarrier } from "../../operator/carrier-set/show.ts";
import type { CarrierFault } from "../../ui/desk/carrier-set/form.tsx";
import { CarrierList } from "../../ui/desk/carrier-set/list.tsx";
import { ChooseKind, NewCarrier, OneCarrier } from "../../ui/desk/carrier-set/one.tsx";
import type { CarrierTexts } from "../../ui/desk/carrier-set/texts.ts";
import { Empty } from "../../ui/parts.tsx";

/** How often a list that refreshes itself asks again, in s. */
const REFRESH_SEC = 5;

type Typed = Record<string, string>;

/** A form as it is shown again: what was typed, and what came of it. */
interface Again {
  kind: SetUpKind;
  typed: Typed;
  fault?: CarrierFault | undefined;
  code?: ErrorCode;
  aloud?: ReadAloud | undefined;
}

/** What was done, by `?done=`. */
function doneText(c: Context<AppEnv>, { form, moving }: CarrierTexts): string | undefined {
  const said: Readonly<Record<string, string>> = { set: form.saved, deleted: form.deleted, taken: moving.taken };
  const done = c.req.query("done") ?? "";
  return Object.hasOwn(said, done) ? said[done] : undefined;
}

/** The page of a carrier that does not exist. */
export const noCarrier = (c: Context<AppEnv>, texts: CarrierTexts): Response => {
  const { notFound } = texts.form;
  return showCarriers(c, texts, <Empty icon="person" title={notFound} />, { title: notFound, status: 404 });
};

/** The carrier of the address. */
export async function carrierInPath(c: Context<AppEnv>): Promise<ShownCarrier | undefined> {
  const all = await allCarriers(c.env, c.executionCtx);
  return all.find(({ name }) => name === c.req.param("name"));
}

const refusedOf = ({ fault, code = "invalid_request" }: Again) => fault && { ...fault, code };

function showOne(c: Context<AppEnv>, texts: CarrierTexts, one: ShownCarrier, again?: Again): Response {
  const operator = c.get("operator");
  const mayChange = operator !== undefined && mayDo(operator.role, "carriers");
  const { name, kind, builtin, settings: set, secrets: stored, tps, callbackUrl } = one;
  const shown =
    again ??
    (isSetUpKind(kind) ? { kind, typed: { ...typedOf(kind, set), tps: tps === null ? "" : String(tps) } } : null);
  const form = mayChange && !builtin && shown ? { fault: undefined, ...shown, stored } : null;
  const url = mayChange ? callbackUrl : withoutToken(callbackUrl);
  const props = { name, kind, settings: set, done: doneText(c, texts), mayChange, form };
  const refused = again && refusedOf(again);
  return showCarriers(c, texts, <OneCarrier {...props} callbackUrl={url} />, { title: name, refused });
}

const showNew = (c: Context<AppEnv>, texts: CarrierTexts, again: Again): Response => {
  const preset = again.typed["preset"];
  const known = preset !== undefined && Object.hasOwn(texts.presets, preset) ? preset : undefined;
  const content = <NewCarrier fault={undefined} {...again} preset={known} />;
  return showCarriers(c, texts, content, { title: texts.list.setUp, refused: refusedOf(again) });
};

/** A refusal of the API's reading, beside its field. */
function faultOf({ form }: CarrierTexts, kind: SetUpKind, failure: Failure): Pick<Again, "fault" | "code"> {
  const { code, error, param } = failure;
  if (code === "too_many") return { code, fault: { error: form.tooMany } };
  return { code, fault: { error, field: fieldAt(kind, param), lang: "en" } };
}

/** What is wrong with the name of a new carrier. */
async function nameFault(c: Context<AppEnv>, { form }: CarrierTexts, name: string): Promise<string | null> {
  if (!CARRIER_NAME.test(name)) return form.badName;
  if (isBuiltInName(name)) return form.nameBuiltIn;
  const all = await allCarriers(c.env, c.executionCtx);
  return all.some((one) => one.name === name) ? form.nameTaken : null;
}

/** Takes a form: stores the carrier, or says what the description on it sends and reads. Null: it is stored. */
async function take(
  c: Context<AppEnv>,
  texts: CarrierTexts,
  { name, form, kind }: { name: string; form: Typed; kind: SetUpKind },
): Promise<Again | null> {
  const again = { kind, typed: withTicks(kind, form) };
  const given = carrierOfForm(kind, form);
  if ("broken" in given) return { ...again, fault: { error: texts.form.badJson, field: given.broken } };
  if (form["do"] === "read" && kind === "template") {
    const asked = { given, secrets: secretsAsked(kind, form, []), sample: form };
    const read = await refusable(() => readAloud(settings(c), name, asked, Date.now()));
    return { ...again, ...(read.ok ? { aloud: read.value } : faultOf(texts, kind, read.failure)) };
  }
  const stored = await refusable(async () => putCarrier(c.env, name, givenCarrier(given)));
  if (!stored.ok) return { ...again, ...faultOf(texts, kind, stored.failure) };
  await audit(c, carrierSetAct(stored.value, given));
  return null;
}

const setDone = (c: Context<AppEnv>, name: string) => c.redirect(at(c, `/desk/carriers/${name}?done=set`), 303);

async function newCarrier(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const form = await formOf(c);
  const { kind } = form;
  if (!isSetUpKind(kind)) return c.redirect(at(c, "/desk/new-carrier"), 303);
  const name = form["name"]?.trim() ?? "";
  const wrong = form["do"] === "read" ? null : await nameFault(c, texts, name);
  const again: Again | null =
    wrong === null
      ? await take(c, texts, { name, form, kind })
      : { kind, typed: withTicks(kind, form), fault: { error: wrong, field: "name" } };
  return again ? showNew(c, texts, again) : setDone(c, name);
}

async function changeCarrier(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const one = await carrierInPath(c);
  const form = await formOf(c);
  if (!one || one.builtin || !isSetUpKind(one.kind)) return noCarrier(c, texts);
  const again = await take(c, texts, { name: one.name, form, kind: one.kind });
  return again ? showOne(c, texts, one, again) : setDone(c, one.name);
}

/** `/desk/carriers`: the carriers, set up and changed without a deploy (contract §16.1). */
export const deskCarriers = (app: Api) => {
  app.get("/desk/carriers", page, atDesk("read"), async (c) => {
    const texts = await carrierTextsOf(c);
    const all = await carriersAtDesk(c.env, c.executionCtx);
    const live = c.req.query("live") === "1";
    // Browsers follow this header without a script; it is only there where the operator asked for it.
    if (live) c.header("Refresh", String(REFRESH_SEC));
    const props = { all, live, nowMs: Date.now(), done: doneText(c, texts) };
    return showCarriers(c, texts, <CarrierList {...props} />);
  });

  app.get("/desk/new-carrier", page, atDesk("carriers"), async (c) => {
    const texts = await carrierTextsOf(c);
    const { kind, preset = "" } = c.req.query();
    if (!isSetUpKind(kind)) return showCarriers(c, texts, <ChooseKind />, { title: texts.list.setUp });
    const from = Object.hasOwn(texts.presets, preset) ? texts.presets[preset] : undefined;
    return showNew(c, texts, { kind, typed: { ...typedOf(kind, from?.settings ?? {}), ...(from && { preset }) } });
  });
  app.post("/desk/new-carrier", page, atDesk("carriers"), (c) => newCarrier(c));

  app.get("/desk/carriers/:name", page, atDesk("read"), async (c) => {
    const texts = await carrierTextsOf(c);
    const one = await carrierInPath(c);
    return one ? showOne(c, texts, one) : noCarrier(c, texts);
  });
  app.post("/desk/carriers/:name", page, atDesk("carriers"), (c) => changeCarrier(c));
};
