import * as z from "zod";
import { DLT_CATEGORIES, DLT_ENFORCED } from "../../model/carrier/dlt.ts";
import { success, time } from "./fields.ts";

// India's DLT registry (contract §17).

const place = z.int().min(0);

/** What an operator of India would say of a message. */
export const DLT_REFUSED = z
  .object({
    code: z.union([620, 630, 633, 634, 635].map((code) => z.literal(code))).meta({
      description:
        "The operators' code: 620 header, 630 no templates, 633 text, 634 header of the template, 635 length.",
    }),
    template_id: z.string().nullable().meta({ description: "The nearest template, or the one that the text fits." }),
    at: place.meta({ description: "The first character of the text that differs, in code points from 0." }),
    expected: z
      .string()
      .meta({ description: "What the template has there: up to 20 characters, or a variable's tag." }),
    found: z.string().meta({ description: "What the text has there; the code of a one-time password is masked." }),
    limit: place.optional().meta({ description: "Of 635: the most characters that the value may have." }),
    length: place.optional().meta({ description: "Of 635: the characters that it has." }),
  })
  .meta({ id: "DltRefused" });

const category = z.enum(DLT_CATEGORIES);

const registry = z
  .object({
    entity_id: z
      .string()
      .nullable()
      .meta({ examples: ["1201159159159159159"] }),
    enforce: z.enum(DLT_ENFORCED),
    headers: z.array(z.object({ header: z.string(), category })),
    templates: z.array(z.object({ template_id: z.string(), headers: z.array(z.string()), category, text: z.string() })),
    otp: z.object({ template_id: z.string(), values: z.array(z.string()) }).nullable(),
    updated_at: time.nullable().meta({ description: "Null until it is first set." }),
  })
  .meta({ id: "DltRegistry" });

const line = z.int().min(1).meta({ description: "The line of the file on which the row begins, from 1." });

export const DLT = {
  Dlt: z.object({ success, dlt: registry }).meta({ id: "Dlt" }),
  DltImported: z
    .object({
      success,
      added: place,
      changed: place,
      unchanged: place,
      skipped: z.array(z.object({ line, reason: z.string() })),
      errors: z.array(z.object({ line, column: z.string(), error: z.string() })),
    })
    .meta({ id: "DltImported" }),
};
