import * as z from "zod";
import { STATUS_OF_CODE } from "../../http/errors.ts";
import type { ErrorCode } from "../../http/errors.ts";
import { DLT_REFUSED } from "./dlt.ts";

/** The one shape of a failure (contract §3). */
export const FAILURE = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: "One plain sentence, for people." }),
    code: z
      .enum(Object.keys(STATUS_OF_CODE) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: "For programs, which branch on it." }),
    request_id: z.string().meta({ description: "The same as `X-Request-Id`." }),
    param: z.string().optional().meta({ description: "The field, parameter or header at fault." }),
    hint: z.string().optional().meta({ description: "The remedy, where it is known." }),
    dlt: DLT_REFUSED.optional().meta({
      description: "With `dlt_mismatch` and `dlt_header`: what an operator of India would say of the message.",
    }),
    next_at: z.string().optional().meta({ description: "With `dlt_hours`: when it may be sent." }),
    first: z.int().optional().meta({ description: "With `events_expired`: the oldest event that is kept." }),
  })
  .meta({ id: "Failure" });
