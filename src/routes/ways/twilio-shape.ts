import type { Context, MiddlewareHandler } from "hono";
import { settings, wireDlt } from "../../http/app.ts";
import type { AppEnv } from "../../http/app.ts";
import { STATUS_OF_CODE, fail } from "../../http/errors.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import { TWILIO_VERSION } from "../../model/twilio/words.ts";
import { toldStrangers } from "../../ways/strangers.ts";

// What Twilio's Messages API shares (contract §15): its addresses, and failures in its shape, with its numbers.

/** Below it everything is in Twilio's form. */
export const TWILIO_BASE = `/${TWILIO_VERSION}`;

/** The number of a fault of one field, by the field's name. */
const NUMBER_OF_FIELD: Readonly<Record<string, number>> = {
  To: 21_211,
  From: 21_212,
  Body: 21_617,
  StatusCallback: 21_609,
  MediaUrl: 21_620,
  ContentSid: 21_655,
  SendAt: 35_114,
};

/** "Invalid parameter". */
const OTHER_FIELD = 20_422;

/** The number of each code, and its HTTP status where Twilio has another one. */
const NUMBERS: Readonly<Record<ErrorCode, readonly [number, 400?]>> = {
  invalid_request: [OTHER_FIELD],
  invalid_json: [OTHER_FIELD],
  invalid_quote: [OTHER_FIELD],
  dlt_mismatch: [OTHER_FIELD],
  dlt_header: [21_212],
  dlt_hours: [OTHER_FIELD],
  unauthorized: [20_003],
  // "Account not active": Twilio suspends an account without money, and has no other number for that.
  insufficient_balance: [20_005],
  account_suspended: [20_005],
  permission_denied: [21_408, 400],
  country_not_allowed: [21_408, 400],
  // "'To' phone number cannot be reached".
  number_blocked: [21_612, 400],
  spend_cap_reached: [20_005],
  not_found: [20_404],
  method_not_allowed: [20_004],
  idempotency_in_progress: [20_409],
  too_many: [20_409],
  too_late: [30_409],
  in_use: [20_409],
  events_expired: [20_404],
  payload_too_large: [OTHER_FIELD],
  unsupported_media_type: [OTHER_FIELD],
  idempotency_mismatch: [OTHER_FIELD],
  rate_limited: [20_429],
  otp_limited: [20_429],
  internal_error: [20_500],
  unavailable: [20_503],
};

/** Our names of fields in Twilio's words. */
const FIELDS: Readonly<Record<string, string>> = { phone: "To", message: "Body", senderId: "From", sendAt: "SendAt" };

/** Where sentences have them: those that are words of English only where they begin a sentence. */
const NAMES = /^(?:phone|message)\b|\bsenderId\b|\bsendAt\b/gu;

/** A failure in Twilio's shape; `given` is its number, where that does not follow from the code and the field. */
function twilioFailure(
  c: Context<AppEnv>,
  { code, error, hint, param = "", dlt, next_at }: Failure,
  given?: number,
): Response {
  const [usual, status = STATUS_OF_CODE[code]] = NUMBERS[code];
  const number = given ?? (code === "invalid_request" ? (NUMBER_OF_FIELD[FIELDS[param] ?? param] ?? usual) : usual);
  const inWords = (text: string) => text.replaceAll(NAMES, (word) => FIELDS[word] ?? word);
  const message = toldStrangers(code) ?? inWords(error) + (hint === undefined ? "" : ` ${inWords(hint)}`);
  if (code === "unauthorized") c.header("WWW-Authenticate", 'Basic realm="API key"');
  const more_info = `${settings(c).CONSOLE_URL}/docs/errors#${code}`;
  // Twilio's own libraries show `details` with an error.
  const details = dlt || next_at ? { details: { dlt: dlt && wireDlt(dlt), next_at } } : {};
  return c.json({ code: number, message, more_info, status, ...details }, status);
}

/** Has failures below `TWILIO_BASE` answered in Twilio's shape, those of unknown addresses and methods too. */
export const inTwilioShape: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set("failureAs", twilioFailure);
  return next();
};

/** Ends the request with a fault that has a number of its own. */
export function failAs(c: Context<AppEnv>, number: number, error: string, param: string): never {
  c.set("failureAs", (context, failure) => twilioFailure(context, failure, number));
  return fail("invalid_request", error, { param });
}

/** The account's SID in the address: the key says which account it is, so any SID in Twilio's form will do. */
export function accountSidOf(c: Context<AppEnv>): string {
  const sid = c.req.param("sid") ?? "";
  if (!/^AC[0-9A-Za-z]{1,62}$/u.test(sid)) fail("not_found", "There is no account with this SID; it begins with AC.");
  return sid;
}
