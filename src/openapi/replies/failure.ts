import * as z from "zod";
import { STATUS_OF_CODE } from "../../http/errors.ts";
import type { ErrorCode } from "../../http/errors.ts";

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
    first: z.int().optional().meta({ description: "With `events_expired`: the oldest event that is kept." }),
  })
  .meta({ id: "Failure" });
