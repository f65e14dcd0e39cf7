import type { DltRefused } from "../model/carrier/dlt.ts";
import type { Destination } from "../model/rules/rules.ts";
import { coins } from "../money/money.ts";

// Why a request is refused, as a code and values. The API says it in English (here); a page says it in the reader's
// language (src/ui/words/failures.ts). In both places a code without a sentence does not compile.

/** The fields that people fill in. */
export type FieldName =
  | "phone"
  | "each recipient"
  | "recipients"
  | "callee"
  | "message"
  | "text"
  | "senderId"
  | "otp"
  | "brandName"
  | "fileId"
  | "fileName"
  | "name"
  | "sendAt";

type DltFigures = Pick<DltRefused, "code" | "templateId" | "at" | "limit" | "length">;

export type Fault =
  | { id: "unauthorized" }
  | { id: "idempotency_in_progress" }
  | { id: "idempotency_mismatch" }
  | { id: "rate_limited"; limit: number; retryAfterSec: number }
  /** Recipients that a test key reaches in a day, and those that are left of them. */
  | { id: "daily_recipients"; max: number; left: number; retryAfterSec: number }
  /** Scheduled messages that may be cancelled in a day, and others scheduled on it. */
  | { id: "many_cancelled"; max: number; retryAfterSec: number }
  | { id: "account_suspended" }
  /** `closesAt` in ms. */
  | { id: "account_closing"; closesAt: number }
  | ({ id: "not_offered" } & Destination)
  | ({ id: "country_not_allowed" } & Destination)
  /** `prefix`: the refused one that the number has; null: it is a premium-rate number. */
  | { id: "number_blocked"; prefix: string | null }
  /** Too many codes to this number, or to numbers with its prefix. */
  | { id: "otp_limited"; of: "number" | "prefix"; retryAfterSec: number }
  /** Amounts in units; `own`: the cap is the owner's, else the operator's. */
  | { id: "spend_cap"; needed: number; left: number; cap: number; own: boolean; retryAfterSec: number }
  | { id: "unknown_file" }
  | { id: "invalid_quote" }
  | { id: "send_at" }
  | { id: "send_at_far"; days: number }
  | { id: "send_at_past" }
  | { id: "send_at_otp" }
  | { id: "too_late" }
  | { id: "not_readable" }
  /** Without what the text has there: a failure is logged. */
  | ({ id: "dlt_mismatch" } & DltFigures)
  | ({ id: "dlt_header" } & DltFigures)
  /** In ms. */
  | { id: "dlt_hours"; nextAt: number }
  /** SMS of a one-time password, and how many it may need. */
  | { id: "otp_long"; segments: number; max: number }
  | { id: "recordings_full"; recordings: number; megabytes: number }
  /** Amounts in units. */
  | { id: "insufficient_balance"; needed: number; balance: number }
  /** Half of a surrogate pair. */
  | { id: "broken_character"; field: FieldName }
  | { id: "length"; field: FieldName; max: number; length: number }
  | { id: "not_mobile"; field: FieldName }
  /** `meant` is the number as it should be sent, where that is known. */
  | { id: "ten_digits"; field: FieldName; meant?: string | undefined }
  | { id: "indian_callee"; meant?: string | undefined }
  | { id: "e164"; meant?: string | undefined }
  | { id: "calling_code"; field: FieldName }
  | { id: "number_length"; field: FieldName }
  | { id: "landline" }
  | { id: "dialled"; meant?: string | undefined }
  | { id: "no_recipients" }
  | { id: "many_recipients"; max: number }
  | { id: "sender_id" }
  | { id: "otp_digits" }
  | { id: "brand_lines" }
  | { id: "file_path"; field: "fileName" | "name" }
  | { id: "file_extension" }
  /** `found` describes the bytes in English. */
  | { id: "file_kind"; found: string }
  | { id: "file_mismatch"; claimed: string; actual: string }
  | { id: "file_empty" }
  | { id: "file_silent" }
  | { id: "file_long"; seconds: number; max: number }
  | { id: "damaged_form" }
  | { id: "other_site" };

/** What people read: one sentence and, where the remedy is known, a second one. */
export interface Sentence {
  error: string;
  hint?: string;
}

/** The sentences of one language, for every fault. */
export type Sentences = { [Id in Fault["id"]]: (fault: Extract<Fault, { id: Id }>) => string | Sentence };

/** A fault in the words of one language. */
export function sentenceOf(sentences: Sentences, fault: Fault): Sentence {
  // Each entry takes the fault of its own id, which TypeScript cannot follow through the lookup.
  const say = sentences[fault.id] as (of: Fault) => string | Sentence;
  const said = say(fault);
  return typeof said === "string" ? { error: said } : said;
}

const meaning = (error: string, meant: string | undefined): Sentence => ({
  error,
  ...(meant !== undefined && { hint: `Send ${meant}.` }),
});

/** A day as the API writes it, in UTC. */
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The API's sentences (contract §3). */
const API: Sentences = {
  unauthorized: () => "The API key is missing or not valid.",
  idempotency_in_progress: () => "Another request with this Idempotency-Key is still running; repeat it in a moment.",
  idempotency_mismatch: () => "This Idempotency-Key was used for another request; use a new key for a new request.",
  rate_limited: ({ limit, retryAfterSec }) =>
    `The limit of ${limit} requests per minute is reached; try again in ${retryAfterSec} s.`,
  daily_recipients: ({ max, left, retryAfterSec }) =>
    `Test keys reach ${max} recipients a day, and ${left} are left for today; try again in ${retryAfterSec} s.`,
  many_cancelled: ({ max, retryAfterSec }) => ({
    error: `${max} scheduled messages or more were cancelled today, so no others can be scheduled; try again in ${retryAfterSec} s.`,
    hint: "Leave sendAt out to send at once. What is scheduled can still be cancelled.",
  }),
  account_suspended: () => "This account is suspended; ask the operator to activate it.",
  account_closing: ({ closesAt }) => ({
    error: `This account is being closed, and sends nothing any more; it is erased after ${dayOf(closesAt)}.`,
    hint: "Sign in to the dashboard to keep the account.",
  }),
  not_offered: ({ callingCode, country }) => `SMS to +${callingCode} (${country ?? "no country"}) is not offered.`,
  country_not_allowed: ({ callingCode, country }) => ({
    error: `This account may not send to +${callingCode} (${country ?? "no country"}).`,
    hint: "Ask the operator to add the country to the account's list.",
  }),
  number_blocked: ({ prefix }) => ({
    error:
      prefix === null
        ? "This is a premium-rate number, which the service does not reach."
        : `Numbers that begin with ${prefix} are refused: their range is known for traffic made for its price.`,
    hint: "Check the number; if it is right, ask the operator for an exception.",
  }),
  otp_limited: ({ of, retryAfterSec }) => ({
    error:
      of === "number"
        ? `This number got several codes in the last hour; the next can be sent in ${retryAfterSec} s.`
        : `Many numbers of this range got codes in the last hour; the next can be sent in ${retryAfterSec} s.`,
    hint: "The codes that were sent stay valid. Let people ask for another only after a while, and only people: use a captcha.",
  }),
  spend_cap: ({ needed, left, cap, own, retryAfterSec }) => ({
    error: `This costs ${coins(needed)} coins, and ${coins(left)} are left of the ${coins(cap)} that today may cost; the day ends in ${retryAfterSec} s.`,
    hint: own
      ? "The account's owner can raise the cap in the dashboard's settings."
      : "Ask the operator to raise the cap.",
  }),
  unknown_file: () => ({
    error: "fileId does not name a recording of this account.",
    hint: "Upload the recording with upload-voice and use the fileId of its reply.",
  }),
  invalid_quote: () => ({
    error: "This quote is not valid for this request, has expired, or was used.",
    hint: "A quote is for one send with the same operation, countries, number of recipients and text; ask preflight again.",
  }),
  send_at: () => "sendAt must be a time with its offset, such as 2026-11-23T14:30:00+05:30 or 2026-11-23T09:00:00Z.",
  send_at_far: ({ days }) => `sendAt must be at most ${days} days ahead.`,
  send_at_past: () => ({
    error: "sendAt has passed; nothing was sent.",
    hint: "Leave sendAt out to send at once.",
  }),
  send_at_otp: () => "sendAt is not possible for a one-time password, which is for now.",
  not_readable: () => "This cannot be read at the moment. Repeat the request in a few seconds.",
  too_late: () => "There is nothing left to take back: it was sent, or is being sent.",
  dlt_mismatch: ({ code, templateId, at, limit, length }) => {
    const hint = "Nothing was charged. The page DLT of the dashboard shows the difference.";
    if (templateId === null) return { error: "This account has no DLT template that the text could fit.", hint };
    const where = `template ${templateId}, from character ${at + 1} of the text on`;
    if (code !== 635) return { error: `The text fits no DLT template of this account; the nearest is ${where}.`, hint };
    return { error: `A value has ${length} characters where ${limit} are allowed: ${where}.`, hint };
  },
  dlt_header: ({ code, templateId }) =>
    code === 634
      ? {
          error: `senderId is not a header of DLT template ${templateId}, which the text fits.`,
          hint: "Nothing was charged.",
        }
      : {
          error: "senderId is not a DLT header of this account; small and capital letters differ.",
          hint: "Nothing was charged.",
        },
  dlt_hours: ({ nextAt }) => ({
    error: "Promotional messages are not allowed in India at this time of the day.",
    hint: `Send it with sendAt ${new Date(nextAt).toISOString().replace(".000Z", "Z")}.`,
  }),
  otp_long: ({ segments, max }) => ({
    error: `With this brandName your DLT template makes the code ${segments} SMS long; it may be ${max}.`,
    hint: "Nothing was charged. Shorten brandName, or choose a shorter template for one-time passwords.",
  }),
  recordings_full: ({ recordings, megabytes }) => ({
    error: `This account can keep ${recordings} recordings with ${megabytes} MB in total; delete one to make room.`,
    hint: "A deleted recording counts until the calls that play it have ended.",
  }),
  insufficient_balance: ({ needed, balance }) =>
    `This costs ${coins(needed)} coins and the balance is ${coins(balance)}; buy a plan or ask for credit.`,
  broken_character: ({ field }) => ({
    error: `${field} contains half of a character.`,
    hint: "Send the text as UTF-8, with whole surrogate pairs.",
  }),
  length: ({ field, max, length }) => `${field} must have 1 to ${max} characters; it has ${length}.`,
  not_mobile: ({ field }) => `${field} must be an Indian mobile number, which begins with 6, 7, 8 or 9.`,
  ten_digits: ({ field, meant }) => meaning(`${field} must be exactly 10 digits, without country code.`, meant),
  indian_callee: ({ meant }) =>
    meaning("callee must be exactly 10 digits of an Indian number, without country code or 0.", meant),
  e164: ({ meant }) =>
    meaning("phone must be + and 7 to 15 digits with the country code, such as +14155550132.", meant),
  calling_code: ({ field }) => `${field} has a country code that does not exist.`,
  number_length: ({ field }) => `${field} has a length that is not possible in its country.`,
  landline: () => "phone is an Indian landline, which cannot receive an SMS.",
  dialled: ({ meant }) => meaning("callee must be country code and number, 8 to 15 digits only.", meant),
  no_recipients: () => "recipients must have at least one number.",
  many_recipients: ({ max }) => `recipients must have at most ${max} numbers; split the list.`,
  sender_id: () => "senderId must have 1 to 11 letters, digits, spaces, dashes, underscores or dots.",
  otp_digits: () => "otp must be a string of 4 to 8 digits.",
  brand_lines: () => "brandName must not contain line breaks or control characters.",
  file_path: ({ field }) => `${field} must be a bare name, without path or control characters.`,
  file_extension: () => "fileName must end in .wav or .mp3.",
  file_kind: ({ found }) => `The file must be WAV (PCM, µ-law, A-law) or MP3; found ${found}.`,
  file_mismatch: ({ claimed, actual }) => ({
    error: `fileName says .${claimed}, the bytes are ${actual.toUpperCase()}.`,
    hint: `Name it .${actual}.`,
  }),
  file_empty: () => "base64Data must not be empty.",
  file_silent: () => "The recording has no sound in it: 0 s.",
  file_long: ({ seconds, max }) => `The recording lasts ${seconds} s; ${max} s is the most.`,
  damaged_form: () => "This form is damaged; open the page again.",
  other_site: () => "This form was sent from another site; open the page here and send it again.",
};

/** A fault as the API reports it. */
export const english = (fault: Fault): Sentence => sentenceOf(API, fault);
