import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { carrierTextsOf, refusable, showCarriers } from "../../console/carrier-pages.tsx";
import { atDesk } from "../../console/desk-gate.tsx";
import { formOf, readForm } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { bodyUpTo } from "../../http/body.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import { importSet } from "../../operator/carrier-set/change.ts";
import { compareSet, readSet, shownSet } from "../../operator/carrier-set/set.ts";
import { exportedSet } from "../../operator/carrier-set/show.ts";
import type { CarrierFault } from "../../ui/desk/carrier-set/form.tsx";
import { CarrierSetPage } from "../../ui/desk/carrier-set/set.tsx";
import type { Compared } from "../../ui/desk/carrier-set/set.tsx";

/** As the API takes; and the same sealed, in Base64, in a form. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
const SEALED_BYTES_MAX = 4 * 1024 * 1024;

interface Shown {
  fault?: CarrierFault;
  code?: ErrorCode;
  compared?: Compared;
}

async function setPage(
  c: Context<AppEnv>,
  { fault, code = "invalid_request", compared }: Shown = {},
): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const content = <CarrierSetPage fault={fault} compared={compared} />;
  return showCarriers(c, texts, content, { title: texts.moving.setTitle, refused: fault && { ...fault, code } });
}

/** The API's own sentence, which names the path in the file. */
const faultOf = ({ code, error, param }: Failure): Shown => ({
  code,
  fault: { error: param === undefined || error.includes(param) ? error : `${param}: ${error}`, lang: "en" },
});

/** Shows what a file would change; nothing is stored. */
async function compare(c: Context<AppEnv>): Promise<Response> {
  const { typed, files } = await readForm(c);
  const text = (await files["file"]?.text()) ?? typed["set"] ?? "";
  if (text.trim() === "") return setPage(c, { fault: { error: (await carrierTextsOf(c)).moving.noFile } });
  const compared = await refusable(async () => compareSet(c.env, c.executionCtx, readSet(text), text, Date.now()));
  return setPage(c, compared.ok ? { compared: compared.value } : faultOf(compared.failure));
}

/** Takes the file that was shown, unless the set was changed since. */
async function take(c: Context<AppEnv>): Promise<Response> {
  const { set = "", mark = "" } = await formOf(c);
  const stale = async () => setPage(c, { fault: { error: (await carrierTextsOf(c)).moving.stale } });
  const text = shownSet(settings(c), set);
  if (text === null) return stale();
  const taken = await refusable(async () => {
    const given = readSet(text);
    return (await importSet(c.env, given, mark)) && given;
  });
  if (!taken.ok) return setPage(c, faultOf(taken.failure));
  if (!taken.value) return stale();
  const { carriers, routes } = taken.value;
  await audit(c, { action: "carriers.imported", details: { carriers: carriers.length, routes: routes.length } });
  return c.redirect(at(c, "/desk/carriers?done=taken"), 303);
}

/** `/desk/carrier-set`: all carriers and routes as one file, without any secret. */
export const deskCarrierSet = (app: Api) => {
  app.get("/desk/carrier-set", page, atDesk("read"), (c) => setPage(c));

  app.get("/desk/carrier-set/export", page, atDesk("read"), async (c) => {
    const set = await exportedSet(c.env, c.executionCtx);
    c.header("Content-Disposition", 'attachment; filename="carriers.json"');
    return c.json(set);
  });

  app.post("/desk/carrier-set", bodyUpTo(FILE_BYTES_MAX), page, atDesk("carriers"), (c) => compare(c));
  app.post("/desk/carrier-set/take", bodyUpTo(SEALED_BYTES_MAX), page, atDesk("carriers"), (c) => take(c));
  // Changing the language on the page leads to its address by GET.
  app.get("/desk/carrier-set/take", (c) => c.redirect(at(c, "/desk/carrier-set"), 303));
};
