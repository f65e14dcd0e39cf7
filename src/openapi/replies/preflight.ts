import * as z from "zod";
import { DLT_REFUSED } from "./dlt.ts";
import { amount, success, time } from "./fields.ts";

// What a preflight says of a send (contract §13).

const problem = z
  .object({
    param: z
      .string()
      .nullable()
      .meta({ description: "The field at fault; null for a fault of none.", examples: ["phone"] }),
    code: z.string().meta({ description: "The code with which the send would be refused." }),
    error: z.string().meta({ examples: ["phone must be exactly 10 digits, without country code."] }),
    hint: z.string().optional(),
    dlt: DLT_REFUSED.optional(),
    next_at: z.string().optional(),
  })
  .meta({ id: "PreflightProblem" });

const count = z.int().min(0);

const recipients = z
  .object({
    given: count,
    valid: count.meta({ description: "The valid ones, each once." }),
    duplicates: count.meta({ description: "How many repeat an earlier one." }),
    invalid: z
      .array(
        z.object({
          index: count.meta({ description: "The place in the list, from 0." }),
          value: z.string().meta({ description: "The first 100 characters of what was given.", examples: ["98765"] }),
          error: z.string(),
        }),
      )
      .meta({ description: "The first 100 invalid ones." }),
  })
  .meta({ id: "PreflightRecipients" });

const character = z.object({
  char: z.string().meta({ examples: ["’"] }),
  code_point: z.string().meta({ examples: ["U+2019"] }),
  at: count.meta({ description: "Its first place, in code points from 0." }),
  instead: z.string().optional().meta({ description: "What GSM-7 has in its place; empty: leave it out." }),
});

const text = z
  .object({
    encoding: z.enum(["GSM-7", "UCS-2"]),
    characters: count,
    segments: count,
    left: z.int().meta({ description: "Characters that fit in beside these; below 0 for a text that is too long." }),
    unicode: z.array(character).meta({ description: "Each character that is not in GSM-7, once." }),
    segments_if_replaced: count.meta({ description: "Segments with every `instead` in its place." }),
  })
  .meta({ id: "PreflightText" });

export const PREFLIGHT = {
  Preflight: z
    .object({
      success,
      would: z.enum(["send", "refuse"]),
      problems: z
        .array(problem)
        .meta({ description: "Every reason to refuse it; of invalid recipients the first 100." }),
      recipients,
      text: text.nullable().meta({ description: "Null for a recording, and for a text that cannot be read." }),
      cost: amount.nullable().meta({ description: "Coins for the valid recipients; null where that cannot be told." }),
      balance_after: amount.nullable().meta({ description: "Null also where the balance does not reach." }),
      quote: z
        .string()
        .nullable()
        .meta({ description: "For the header `Price-Quote`; null where it would be refused." }),
      quote_until: time.nullable(),
    })
    .meta({ id: "Preflight" }),
};
