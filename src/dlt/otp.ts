import type { OtpPiece } from "../model/carrier/dlt.ts";
import { otpText } from "../text/otp-text.ts";
import { countSegments } from "../text/segments.ts";
import { comparable, partsOf, writtenIn } from "./template.ts";
import { fits } from "./fit.ts";

// The text of one-time passwords by a template of the account (contract §17.1): one value for each variable, in which
// `{otp}` and `{brand}` are replaced.

const PLACES = /\{(otp|brand)\}/gu;
const CODE = 0;
const BRAND = 1;

/** SMS that a one-time password may need: its price is one, whatever its text needs at the carrier. */
export const OTP_SEGMENTS_MAX = 3;

/** A longer text, in UTF-16 code units, needs more SMS than that: it is not split to count them. */
const COUNTED_MAX = 1_000;
const LONGEST = { code: "0".repeat(10), brand: "b".repeat(40) };

/** Whether the text of a one-time password needs too many SMS; how many: null where it does not. */
export function tooManySegments(text: string): number | null {
  const segments = text.length > COUNTED_MAX ? Math.ceil(text.length / 153) : countSegments(text).segments;
  return segments > OTP_SEGMENTS_MAX ? segments : null;
}

/** The values of a template whose account named none: the first variable is the code, the others are the brand. */
export const usualValues = (template: string): string[] =>
  writtenIn(template).map((_, at) => (at === 0 ? "{otp}" : "{brand}"));

/** What is wrong with the values of a template's variables; null: nothing. */
export function faultOfValues(template: string, values: readonly string[]): string | null {
  const written = writtenIn(template);
  if (values.length !== written.length) {
    return `otp.values must have one value for each variable of the template, which has ${written.length}.`;
  }
  if (!values.some((value) => value.includes("{otp}"))) return "One of otp.values must have {otp} in it: the code.";
  for (const [at, value] of values.entries()) {
    const parts = partsOf(written[at] ?? "");
    const isLiteral = value.match(PLACES) === null;
    if (isLiteral && "length" in parts && !fits(parts, [...comparable(value)])) {
      return `otp.values[${at}] cannot be a value of ${written[at]}.`;
    }
  }
  const segments = tooManySegments(otpText(LONGEST.brand, LONGEST.code, otpPieces(template, values)));
  if (segments === null) return null;
  const asked = `a code of ${LONGEST.code.length} digits and a brand of ${LONGEST.brand.length} letters`;
  return `otp.values make a text of ${segments} SMS with ${asked}; it may be ${OTP_SEGMENTS_MAX}.`;
}

/** The pieces of a text with places for the code and the brand. */
function piecesOf(value: string): OtpPiece[] {
  const pieces: OtpPiece[] = [];
  let at = 0;
  for (const found of value.matchAll(PLACES)) {
    pieces.push(value.slice(at, found.index), found[1] === "otp" ? CODE : BRAND);
    at = found.index + found[0].length;
  }
  return [...pieces, value.slice(at)];
}

/** The text of one-time passwords by a template with these values: neighbouring pieces of fixed text are one. */
export function otpPieces(template: string, values: readonly string[]): OtpPiece[] {
  const text = comparable(template);
  const pieces: OtpPiece[] = [];
  const add = (piece: OtpPiece) => {
    const last = pieces.at(-1);
    if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece;
    else if (piece !== "") pieces.push(piece);
  };
  let from = 0;
  for (const [nth, written] of writtenIn(text).entries()) {
    const at = text.indexOf(written, from);
    add(text.slice(from, at));
    for (const piece of piecesOf(values[nth] ?? "")) add(piece);
    from = at + written.length;
  }
  add(text.slice(from));
  return pieces;
}
