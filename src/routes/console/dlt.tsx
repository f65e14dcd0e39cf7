import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, readForm, refusedStatus } from "../../console/forms.ts";
import { at, page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { faultOfRegistry } from "../../dlt/faults.ts";
import { readTemplates } from "../../dlt/import.ts";
import { usualValues } from "../../dlt/otp.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { bodyUpTo, failureOfIssue } from "../../http/body.ts";
import { fail, failureOf } from "../../http/errors.ts";
import { smsText } from "../../http/fields.ts";
import { DLT_CATEGORIES, DLT_ENFORCED } from "../../model/carrier/dlt.ts";
import type { DltFault, DltRegistry, DltSample, DltTemplate, DltTried, KeptDlt } from "../../model/carrier/dlt.ts";
import { bothOf } from "../../objects.ts";
import { importTemplates, registryIn, replaceRegistry } from "../../sending/dlt-registry.ts";
import { DltPage } from "../../ui/dlt/page.tsx";
import type { DltShown, Refusal, Report } from "../../ui/dlt/page.tsx";
import { dltWords } from "../../ui/words/dlt.ts";
import { FILE_BYTES_MAX } from "../v1/dlt.ts";

type Ctx = Context<AppEnv>;

const PAGE_SIZE = 20;

/** Lines of a report that are shown. */
const REPORT_MAX = 200;

const wordsOf = (c: Ctx) => dltWords[viewOf(c).lang];
const of = (c: Ctx) => ({ env: c.env, accountId: personOf(c).accountId });
const liveOf = (c: Ctx) => bothOf(c.env, personOf(c).accountId).live;

/** The templates with these words in their id, headers or text, from the one at a place on. */
function pageOf({ templates }: KeptDlt, q: string, after: number): Pick<DltShown, "rows" | "q" | "older"> {
  const words = q.toLowerCase().split(/\s+/u);
  const found = templates.filter(({ templateId, headers, text }) => {
    const all = `${templateId} ${headers.join(" ")} ${text}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const next = after + PAGE_SIZE;
  const older = found.length > next ? new URLSearchParams({ q, after: String(next) }).toString() : null;
  return { rows: found.slice(after, next), q, older };
}

async function shown(c: Ctx, more: Partial<DltShown> = {}): Promise<Response> {
  const registry = await registryIn(of(c));
  const samples: DltSample[] = (await liveOf(c).dltSamples()) ?? [];
  const after = /^[0-9]{1,5}$/u.test(c.req.query("after") ?? "") ? Number(c.req.query("after")) : 0;
  const said = c.req.query("done") === "saved" ? { tone: "ok" as const, text: wordsOf(c).saved } : undefined;
  const edited = registry.templates.find(({ templateId }) => templateId === c.req.query("edit"));
  const { refused } = more;
  const status = refusedStatus(c, refused && { code: "invalid_request", ...refused });
  const list = pageOf(registry, (c.req.query("q") ?? "").trim().slice(0, 200), after);
  return show(c, <DltPage {...{ registry, samples, said, edited, ...list, ...more }} />, {
    title: wordsOf(c).title,
    active: "dlt",
    status,
  });
}

/** A fault of the registry in the reader's language, at the form's field where that is one. */
function faultIn(c: Ctx, { param }: DltFault): { error: string; field?: string } {
  const field = param.startsWith("otp.") ? param : param.replaceAll(/\[\d+\]/gu, "").replace(/^.*\./u, "");
  const known: Readonly<Record<string, string>> = wordsOf(c).faults;
  const sentence = param === "headers" ? undefined : known[field];
  return sentence === undefined ? { error: wordsOf(c).faults.other } : { error: sentence, field };
}

/** Changes the registry by a form, and leads back to the page; or shows why that cannot be. */
async function change(
  c: Ctx,
  form: Refusal["form"],
  typed: Record<string, string>,
  make: (registry: DltRegistry) => DltRegistry,
): Promise<Response> {
  const { updatedAt, ...before } = await registryIn(of(c));
  const registry = make(before);
  const fault = faultOfRegistry(registry);
  if (fault) return shown(c, { refused: { form, typed, ...faultIn(c, fault) } });
  const kept = await replaceRegistry(of(c), registry, updatedAt);
  if (!kept) return shown(c, { refused: { form, typed, error: wordsOf(c).changed } });
  await noted(c, kept);
  return c.redirect(`${at(c, "/dlt")}?done=saved#${form}`, 303);
}

const noted = (c: Ctx, { enforce, templates, headers }: DltRegistry) =>
  audit(c, {
    action: "dlt.changed",
    subject: personOf(c).accountId,
    details: { enforce, templates: templates.length, headers: headers.length },
  });

/** One of a form's choices; a form of this page has no other. */
function choiceOf<Value extends string>(all: readonly Value[], given: string | undefined): Value {
  return all.find((one) => one === given) ?? fail("invalid_request", "This form is damaged; open the page again.");
}

const linesOf = (text: string) => text.split(/\r?\n/u).filter((line) => line.trim() !== "");

async function terms(c: Ctx): Promise<Response> {
  const typed = await formOf(c);
  const { entity_id: entity = "", otp = "", values = "" } = typed;
  const enforce = choiceOf(DLT_ENFORCED, typed["enforce"]);
  return change(c, "terms", typed, (registry) => {
    const templateId = otp.trim();
    const template = registry.templates.find((one) => one.templateId === templateId);
    const given = linesOf(values);
    const chosen = given.length > 0 ? given : usualValues(template?.text ?? "");
    return {
      ...registry,
      entityId: entity.trim() === "" ? null : entity.trim(),
      enforce,
      otp: templateId === "" ? null : { templateId, values: chosen },
    };
  });
}

async function headers(c: Ctx): Promise<Response> {
  const typed = await formOf(c);
  const { remove } = typed;
  if (remove !== undefined) {
    return change(c, "headers", {}, (registry) => ({
      ...registry,
      headers: registry.headers.filter((one) => one.header !== remove),
    }));
  }
  // A header may contain spaces; one at an end was copied along, and no sender ID would match it.
  const header = (typed["header"] ?? "").trim();
  const category = choiceOf(DLT_CATEGORIES, typed["category"]);
  return change(c, "headers", typed, (registry) => ({
    ...registry,
    headers: [...registry.headers.filter((one) => one.header !== header), { header, category }],
  }));
}

async function template(c: Ctx): Promise<Response> {
  const typed = await formOf(c);
  const given: DltTemplate = {
    templateId: (typed["template_id"] ?? "").trim(),
    headers: (typed["headers"] ?? "")
      .split(",")
      .map((header) => header.trim())
      .filter((header) => header !== ""),
    category: choiceOf(DLT_CATEGORIES, typed["category"]),
    // A browser ends each line of a text field with CR and LF.
    text: (typed["text"] ?? "").replaceAll("\r\n", "\n"),
  };
  return change(c, "template", typed, (registry) => {
    const isKnown = registry.templates.some(({ templateId }) => templateId === given.templateId);
    const templates = isKnown
      ? registry.templates.map((one) => (one.templateId === given.templateId ? given : one))
      : [...registry.templates, given];
    return { ...registry, templates };
  });
}

async function removeTemplate(c: Ctx): Promise<Response> {
  const { template_id: removed } = await formOf(c);
  return change(c, "template", {}, (registry) => ({
    ...registry,
    templates: registry.templates.filter(({ templateId }) => templateId !== removed),
  }));
}

/** The text of the form's file; null where it is none, or no UTF-8. */
async function textOf(file: File): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

async function importFile(c: Ctx): Promise<Response> {
  const t = wordsOf(c);
  const { files } = await readForm(c);
  const refuse = (error: string) => shown(c, { refused: { form: "import", typed: {}, error, field: "file" } });
  const file = files["file"];
  if (!file) return refuse(t.noFile);
  const text = await textOf(file);
  if (text === null) return refuse(t.notText);
  const read = readTemplates(text);
  if ("missing" in read) return refuse(t.missing);
  if ("tooMany" in read) return refuse(t.faults.other);
  const done = await importTemplates(of(c), read.templates);
  if ("error" in done) return refuse(faultIn(c, done).error);
  if (done.imported.added + done.imported.changed > 0) await noted(c, done.kept);
  const skipped = read.skipped.map(({ line, reason }) => ({ line, error: reason }));
  const lines = [...skipped, ...read.errors].toSorted((one, other) => one.line - other.line);
  const report: Report = {
    imported: done.imported,
    lines: lines.slice(0, REPORT_MAX),
    linesCount: lines.length,
  };
  return shown(c, { report });
}

async function tryText(c: Ctx): Promise<Response> {
  const typed = await formOf(c);
  const text = (typed["message"] ?? "").replaceAll("\r\n", "\n");
  // A text that no SMS can have is not compared: that takes time in proportion to its length, for each template.
  const read = smsText.safeParse(text);
  if (!read.success) {
    const failure = failureOfIssue(read.error.issues[0]);
    return shown(c, { tried: { typed, tried: { refusal: null, template: null, sender: null }, failure } });
  }
  const sender = (typed["senderId"] ?? "").trim();
  const asked = { operation: "sms" as const, text, ...(sender !== "" && { sender }) };
  const tried: DltTried | null = await liveOf(c).tryDlt(asked);
  if (!tried) return shown(c);
  const failure = tried.refusal && failureOf({ ok: false, ...tried.refusal });
  return shown(c, { tried: { typed: { ...typed, message: text }, tried, failure } });
}

/** `/dlt`: the DLT registry of the account, for live and test keys alike (contract §17). */
export const dltPages = (app: Api) => {
  app.get("/dlt", page, signedIn, (c) => shown(c));
  app.post("/dlt/terms", page, signedIn, (c) => terms(c));
  app.post("/dlt/headers", page, signedIn, (c) => headers(c));
  app.post("/dlt/templates", page, signedIn, (c) => template(c));
  app.post("/dlt/templates/remove", page, signedIn, (c) => removeTemplate(c));
  app.post("/dlt/import", bodyUpTo(FILE_BYTES_MAX + 16 * 1024), page, signedIn, (c) => importFile(c));
  app.post("/dlt/test", page, signedIn, (c) => tryText(c));
};
