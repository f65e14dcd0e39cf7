import type { CarrierAnswer, CarrierSecrets } from "../../model/carrier/carrier.ts";

// A carrier's raw answer without its secrets (contract §16.1): a gateway may show the request that it got, with a password
// in an address, or a key in a header of Basic authentication.

const MASK = "***";

/** A part of a text, from `start` up to `end`. */
interface Span {
  start: number;
  end: number;
}

const escaped = (text: string): string =>
  text.replaceAll(/[^\w]/gu, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);

/** One character, as it is, percent-encoded (RFC 3986, WHATWG forms), or escaped as JSON escapes it (RFC 8259 §7). */
function anyForm(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  const percent = bytes.map(
    (byte) =>
      `%${byte
        .toString(16)
        .padStart(2, "0")
        .replaceAll(/[a-f]/gu, (digit) => `[${digit}${digit.toUpperCase()}]`)}`,
  );
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const json = units.map(
    (unit) =>
      `\\\\u${unit
        .toString(16)
        .padStart(4, "0")
        .replaceAll(/[a-f]/gu, (digit) => `[${digit}${digit.toUpperCase()}]`)}`,
  );
  const forms = [escaped(character), percent.join(""), json.join("")];
  if (character === " ") forms.push(escaped("+"));
  if ('"\\/'.includes(character)) forms.push(escaped(`\\${character}`));
  return `(?:${forms.join("|")})`;
}

const patternOf = (text: string): string => Array.from(text, anyForm).join("");

/** The fewest characters of Base64 that stand for a secret beside others; fewer would be found anywhere. */
const CORE_LENGTH_MIN = 4;

/**
 * The characters of Base64 that a secret always has where `before` bytes (modulo 3) precede it, whatever stands around it:
 * those that share a byte with what precedes or follows are left out (RFC 4648 §4).
 */
function coreOf(secret: Uint8Array, before: 0 | 1 | 2): string {
  const whole = Buffer.concat([Buffer.alloc(before), secret])
    .toString("base64")
    .replace(/=+$/u, "");
  const first = before === 0 ? 0 : before + 1;
  return whole.slice(first, Math.floor(((before + secret.length) * 8) / 6));
}

/** Base64 in either alphabet (RFC 4648 §4, §5), also percent-encoded. */
const base64Pattern = (core: string): string =>
  Array.from(core, (digit) =>
    /[+/]/u.test(digit) ? `(?:${anyForm(digit)}|${digit === "+" ? "-" : "_"})` : digit,
  ).join("");

/** How much of the Base64 around a secret is looked at, so that time stays linear. */
const AROUND_LENGTH_MAX = 1_000;

/** A span with the Base64 around it, in which the bits of the secret's first and last byte are. */
function widened(text: string, { start, end }: Span): Span {
  let first = start;
  while (first > Math.max(0, start - AROUND_LENGTH_MAX) && /[\w+/-]/u.test(text.charAt(first - 1))) first -= 1;
  const after = /^[\w+/-]*=*/u.exec(text.slice(end, end + AROUND_LENGTH_MAX))?.[0] ?? "";
  return { start: first, end: end + after.length };
}

function spansOf(text: string, pattern: string): Span[] {
  const found = [...text.matchAll(new RegExp(pattern, "gu"))];
  return found.map((one) => ({ start: one.index, end: one.index + one[0].length }));
}

/** A secret, and the part of it that a gateway may show alone. */
const partsOf = (secret: string): string[] =>
  secret.startsWith("whsec_") ? [secret, secret.slice("whsec_".length)] : [secret];

function spansOfSecret(text: string, secret: string): Span[] {
  const bytes = new TextEncoder().encode(secret);
  const exact = Buffer.from(bytes).toString("base64").replace(/=+$/u, "");
  const cores = ([0, 1, 2] as const)
    .map((before) => coreOf(bytes, before))
    .filter((core) => core.length >= CORE_LENGTH_MIN);
  // A short secret by itself: nothing of Base64 stands on either side of it.
  const alone = `(?<![\\w+/-])${base64Pattern(exact)}(?![\\w+/-])(?:=|%3[dD]){0,2}`;
  return [
    ...spansOf(text, patternOf(secret)),
    ...spansOf(text, alone),
    ...[...new Set(cores)].flatMap((core) => spansOf(text, base64Pattern(core)).map((span) => widened(text, span))),
  ];
}

/** A text in which each secret, as it is, percent-encoded or in Base64, is `***`. Linear in the text's length. */
export function withoutSecrets(text: string, secrets: CarrierSecrets): string {
  const all = Object.values(secrets)
    .flatMap(partsOf)
    .filter((secret) => secret !== "");
  const spans = all.flatMap((secret) => spansOfSecret(text, secret)).toSorted((one, other) => one.start - other.start);
  let [shown, at] = ["", 0];
  for (const { start, end } of spans) {
    if (end <= at) continue;
    // One that overlaps the span before is part of the same mask.
    if (start >= at && !(start === at && shown.endsWith(MASK))) shown += text.slice(at, start) + MASK;
    at = end;
  }
  return shown + text.slice(at);
}

/** An answer without the carrier's secrets, in headers as in the body. */
export function answerWithout(answer: CarrierAnswer | null, secrets: CarrierSecrets): CarrierAnswer | null {
  if (answer === null || "command_status" in answer) return answer;
  const { status, headers, body } = answer;
  const shown = Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, secrets)] as const);
  return { status, headers: Object.fromEntries(shown), body: body === null ? null : withoutSecrets(body, secrets) };
}
