import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { faultOfRegistry } from "../../dlt/faults.ts";
import { readTemplates } from "../../dlt/import.ts";
import { usualValues } from "../../dlt/otp.ts";
import { keyOf } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { BODY_BYTES_MAX, bodyUpTo, csvBody, csvOf, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { DLT_CATEGORIES, DLT_ENFORCED } from "../../model/carrier/dlt.ts";
import type { DltFault, DltRegistry, KeptDlt } from "../../model/carrier/dlt.ts";
import { accountApi } from "../../sending/account-api.ts";
import { importTemplates, registryIn, storeRegistry } from "../../sending/dlt-registry.ts";

/** The largest file of templates (contract §17.3). */
export const FILE_BYTES_MAX = 5 * 1024 * 1024;

const text = (name: string) =>
  z
    .string({ error: ({ input }) => `${name} ${input === undefined ? "is required" : "must be a string"}.` })
    .refine((value) => value.isWellFormed(), `${name} has a broken character.`);
const category = z.enum(DLT_CATEGORIES, `category must be one of ${DLT_CATEGORIES.join(", ")}.`);
const list = (name: string) => `${name} must be a list.`;

const schema = z.strictObject({
  entity_id: text("entity_id")
    .nullish()
    .meta({
      description: "The number of the principal entity; `warn` and `on` need it.",
      examples: ["1201159159159159159"],
    }),
  enforce: z.enum(DLT_ENFORCED, "enforce must be off, warn or on.").meta({
    description: "`on` refuses what does not match, `warn` sends it with `X-Dlt-Warning`, `off` matches nothing.",
    examples: ["warn"],
  }),
  headers: z
    .array(z.strictObject({ header: text("header"), category }), list("headers"))
    .default([])
    .meta({ examples: [[{ header: "ACMEIN", category: "service_implicit" }]] }),
  templates: z
    .array(
      z.strictObject({
        template_id: text("template_id"),
        headers: z.array(text("header"), list("headers")),
        category,
        text: text("text"),
      }),
      list("templates"),
    )
    .default([])
    .meta({
      description: "At most 10,000.",
      examples: [
        [
          {
            template_id: "1107159159159159159",
            headers: ["ACMEIN"],
            category: "service_implicit",
            text: "Order {#var#} is packed.",
          },
        ],
      ],
    }),
  otp: z
    .strictObject({ template_id: text("template_id"), values: z.array(text("value"), list("otp.values")).nullish() })
    .nullish()
    .meta({
      description:
        "The template of one-time passwords, with one value for each variable: `{otp}`, `{brand}` or a text.",
    }),
  updated_at: z.string().nullish().meta({ description: "Is ignored, so that what was read can be sent again." }),
});

/** A body as the registry that it is; a template without values has the usual ones. */
function registryOf({ entity_id, enforce, headers, templates, otp }: z.output<typeof schema>): DltRegistry {
  const chosen = otp && templates.find(({ template_id }) => template_id === otp.template_id);
  return {
    entityId: entity_id ?? null,
    enforce,
    headers,
    templates: templates.map(({ template_id, ...rest }) => ({ templateId: template_id, ...rest })),
    otp: otp ? { templateId: otp.template_id, values: otp.values ?? usualValues(chosen?.text ?? "") } : null,
  };
}

function wireRegistry({ entityId, enforce, headers, templates, otp, updatedAt }: KeptDlt) {
  return {
    entity_id: entityId,
    enforce,
    headers,
    templates: templates.map(({ templateId, ...rest }) => ({ template_id: templateId, ...rest })),
    otp: otp && { template_id: otp.templateId, values: otp.values },
    updated_at: updatedAt === null ? null : new Date(updatedAt).toISOString(),
  };
}

const refuse = ({ param, error }: DltFault) => fail("invalid_request", error, { param });

const of = (c: Context<AppEnv>) => ({ env: c.env, accountId: keyOf(c).accountId });

const noted = (c: Context<AppEnv>, { enforce, templates, headers }: DltRegistry) =>
  audit(c, {
    action: "dlt.changed",
    subject: keyOf(c).accountId,
    details: { enforce, templates: templates.length, headers: headers.length },
  });

/** `/v1/dlt`: India's DLT registry of the account, for live and test keys alike (contract §17). */
export const dltApi = (app: Api) =>
  app
    .get("/v1/dlt", accountApi, async (c) => c.json({ success: true, dlt: wireRegistry(await registryIn(of(c))) }))
    .put("/v1/dlt", bodyUpTo(BODY_BYTES_MAX), accountApi, jsonBody(schema), async (c) => {
      const registry = registryOf(c.req.valid("json"));
      const fault = faultOfRegistry(registry);
      if (fault) return refuse(fault);
      const kept = await storeRegistry(of(c), registry);
      await noted(c, kept);
      return c.json({ success: true, dlt: wireRegistry(kept) });
    })
    .post("/v1/dlt/import", csvBody(FILE_BYTES_MAX), accountApi, async (c) => {
      const read = readTemplates(await csvOf(c));
      if ("missing" in read) return refuse({ param: "csv", error: read.missing });
      if ("tooMany" in read) return refuse({ param: "csv", error: read.tooMany });
      const done = await importTemplates(of(c), read.templates);
      if ("error" in done) return refuse(done);
      if (done.imported.added + done.imported.changed > 0) await noted(c, done.kept);
      return c.json({ success: true, ...done.imported, skipped: read.skipped, errors: read.errors });
    });

export const docs = {
  "GET /v1/dlt": {
    id: "getDlt",
    tag: "DLT",
    summary: "Show the DLT registry",
    description: "One for each account, which live and test keys share. At first it is `off` and empty.",
    reply: "Dlt",
  },
  "PUT /v1/dlt": {
    id: "putDlt",
    tag: "DLT",
    summary: "Replace the DLT registry",
    description:
      "From the next request on, SMS and one-time passwords to India are matched with it before anything is charged. A fault changes nothing, and `param` names it.",
    reply: "Dlt",
  },
  "POST /v1/dlt/import": {
    id: "importDlt",
    tag: "DLT",
    summary: "Import DLT templates as CSV",
    description:
      "Takes the file that the operators' portals export, with commas, semicolons or tabs. Good rows are added or changed though others are wrong; what is registered and not in the file stays.",
    bodyMedia: { "text/csv": "The templates, with a line of column names before them." },
    reply: "DltImported",
  },
} satisfies Docs;
