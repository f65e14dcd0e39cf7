import { DastakError } from "../errors.ts";

// How the program ends otherwise than well.

/** What the program's status says, so that scripts can branch on it. */
export const STATUS = {
  /** A bug of this program, or a check that failed. */
  failed: 1,
  usage: 2,
  /** No API key, or one that the service does not know. */
  key: 3,
  /** The service refused, and will refuse again. */
  refused: 4,
  /** Not reachable, or it is unknown whether it was done: run it again with the same idempotency key. */
  unknown: 5,
  interrupted: 130,
} as const;

/** The end of a command with a status other than 0, and what people and programs are told. */
export class Stop extends Error {
  override readonly name = "Stop";
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** More that programs are told. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(kind: keyof typeof STATUS, code: string, message: string, hint?: string, facts = {}) {
    super(message);
    this.status = STATUS[kind];
    this.code = code;
    this.hint = hint;
    this.facts = facts;
  }
}

/** A mistake in how the program was called. */
export const usage = (message: string, hint?: string) => new Stop("usage", "usage", message, hint);

/** Which status a failure of a call has. */
function kindOf({ code, status, isUnknown }: DastakError): keyof typeof STATUS {
  if (status === 401) return "key";
  return isUnknown || status === 0 || status >= 500 || code === "unexpected" ? "unknown" : "refused";
}

function hintOf(error: DastakError): string | undefined {
  if (error.isUnknown && error.idempotencyKey !== undefined) {
    return `Whether it was done is unknown. Run it again with --idempotency-key ${error.idempotencyKey}: it is done once.`;
  }
  if (error.hint !== undefined) return error.hint;
  if (error.status === 401) return "Check the key, and that it is for this service: dastak doctor";
  if (error.status === 0) return "Check the address: --url, DASTAK_URL or the profile's.";
  return error.code === "insufficient_balance" ? "dastak balance shows what is left." : undefined;
}

/** What ended a command, as a `Stop`; null for a bug. */
export function stopOf(problem: unknown): Stop | null {
  if (problem instanceof Stop) return problem;
  if (problem instanceof DastakError) {
    const { code, message, param, requestId, idempotencyKey, body } = problem;
    const known = { param, request_id: requestId, idempotency_key: idempotencyKey, first: body["first"] };
    return new Stop(kindOf(problem), code, message, hintOf(problem), known);
  }
  // The client's word for options that cannot work.
  return problem instanceof TypeError &&
    /^(?:apiKey|baseUrl|idempotencyKey|quote|id|request_id)\b/u.test(problem.message)
    ? usage(problem.message)
    : null;
}
