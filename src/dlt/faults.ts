import type { DltFault, DltRegistry } from "../model/carrier/dlt.ts";
import { faultOfValues } from "./otp.ts";
import { DLT_ID, HEADER, HEADERS_MAX, TEMPLATES_MAX, faultOfTemplate } from "./rules.ts";

// Whether a registry can be (contract §17.1), and the first field that is wrong.

const FIELDS = { id: "template_id", text: "text", headers: "headers" } as const;

function faultOfHeaders({ headers }: DltRegistry): DltFault | null {
  if (headers.length > HEADERS_MAX) {
    return { param: "headers", error: `A registry has at most ${HEADERS_MAX} headers.` };
  }
  const seen = new Set<string>();
  for (const [at, { header }] of headers.entries()) {
    const param = `headers[${at}].header`;
    if (!HEADER.test(header)) {
      return { param, error: `${param} must have 1 to 11 letters, digits, spaces, or any of _ . -.` };
    }
    if (seen.has(header)) return { param, error: `${param} stands twice.` };
    seen.add(header);
  }
  return null;
}

function faultOfTemplates({ templates, headers }: DltRegistry): DltFault | null {
  if (templates.length > TEMPLATES_MAX) {
    return { param: "templates", error: `A registry has at most ${TEMPLATES_MAX.toLocaleString("en-US")} templates.` };
  }
  const names = new Set(headers.map(({ header }) => header));
  const seen = new Set<string>();
  for (const [at, template] of templates.entries()) {
    const here = `templates[${at}]`;
    const fault = faultOfTemplate(template);
    if (fault) return { param: `${here}.${FIELDS[fault.field]}`, error: fault.error };
    const unknown = template.headers.findIndex((header) => !names.has(header));
    if (unknown !== -1) return { param: `${here}.headers[${unknown}]`, error: "This header is not among the headers." };
    if (seen.has(template.templateId)) return { param: `${here}.template_id`, error: "This template_id stands twice." };
    seen.add(template.templateId);
  }
  return null;
}

function faultOfOtp({ otp, templates }: DltRegistry): DltFault | null {
  if (!otp) return null;
  const template = templates.find(({ templateId }) => templateId === otp.templateId);
  if (!template) return { param: "otp.template_id", error: "otp.template_id is none of the templates." };
  const error = faultOfValues(template.text, otp.values);
  return error === null ? null : { param: "otp.values", error };
}

/** What is wrong with a registry; null: nothing. */
export function faultOfRegistry(registry: DltRegistry): DltFault | null {
  const { entityId, enforce } = registry;
  if (entityId === null && enforce !== "off") {
    return {
      param: "entity_id",
      error: "entity_id is needed by warn and on: the number that the DLT portal gave you.",
    };
  }
  if (entityId !== null && !DLT_ID.test(entityId)) {
    return { param: "entity_id", error: "entity_id must be a string of 10 to 25 digits." };
  }
  return faultOfHeaders(registry) ?? faultOfTemplates(registry) ?? faultOfOtp(registry);
}
