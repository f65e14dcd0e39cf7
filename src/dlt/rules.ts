import { codePoints } from "../text/code-points.ts";
import { DLT_CATEGORIES } from "../model/carrier/dlt.ts";
import type { DltCategory, DltHeader, DltTemplate } from "../model/carrier/dlt.ts";
import { partsOf, writtenIn } from "./template.ts";

// What a registry may hold (contract §17.1).

export { DLT_CATEGORIES as CATEGORIES };
export type Category = DltCategory;
export type Header = DltHeader;
export type RegisteredTemplate = DltTemplate;

export const TEMPLATES_MAX = 10_000;
export const HEADERS_MAX = 500;
const TEXT_LENGTH_MAX = 1_000;
const HEADERS_OF_ONE_MAX = 50;
/** Variables of a template: what matching takes grows with them. */
export const VARIABLES_MAX = 30;

/** Ids that the portals give, of entities and templates. */
export const DLT_ID = /^[0-9]{10,25}$/u;

export const HEADER = /^[A-Za-z0-9 _.-]{1,11}$/u;

/** A fault of a template: its field, and one sentence. */
export interface TemplateFault {
  field: "id" | "text" | "headers";
  error: string;
}

/** What is wrong with the text of a template; null: nothing. */
export function faultOfText(text: string): string | null {
  const length = codePoints(text);
  if (length < 1 || length > TEXT_LENGTH_MAX) return `The text must have 1 to ${TEXT_LENGTH_MAX} characters.`;
  const parts = partsOf(text);
  if ("unknown" in parts) return `The text has ${parts.unknown}, which is no variable of a template as {#var#} is.`;
  if (writtenIn(text).length > VARIABLES_MAX) return `The text must have at most ${VARIABLES_MAX} variables.`;
  return parts.some((part) => "text" in part) ? null : "The text must have some fixed text beside its variables.";
}

/** What is wrong with a template by itself; null: nothing. */
export function faultOfTemplate({ templateId, headers, text }: RegisteredTemplate): TemplateFault | null {
  if (!DLT_ID.test(templateId)) return { field: "id", error: "The id must have 10 to 25 digits." };
  if (headers.length < 1 || headers.length > HEADERS_OF_ONE_MAX) {
    return { field: "headers", error: `A template must have 1 to ${HEADERS_OF_ONE_MAX} headers.` };
  }
  const wrong = headers.find((header) => !HEADER.test(header));
  if (wrong !== undefined) {
    return { field: "headers", error: "A header must have 1 to 11 letters, digits, spaces, or any of _ . -." };
  }
  const error = faultOfText(text);
  return error === null ? null : { field: "text", error };
}
