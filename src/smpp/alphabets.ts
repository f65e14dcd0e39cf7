import { octets, textOfOctets } from "./pdu.ts";

// The alphabets of short messages over SMPP: GSM 7-bit as one septet per octet (3GPP TS 23.038 §6.2.1), Latin-1 and UCS-2.

/** The default alphabet by its codes; the escape to the extension table stands for itself. */
const DEFAULT =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";

const ESCAPE = 0x1b;

/** The extension table. */
const EXTENSION: Readonly<Record<string, number>> = {
  "\f": 0x0a,
  "^": 0x14,
  "{": 0x28,
  "}": 0x29,
  "\\": 0x2f,
  "[": 0x3c,
  "~": 0x3d,
  "]": 0x3e,
  "|": 0x40,
  "€": 0x65,
};

const SEPTETS = new Map<string, readonly number[]>([
  ...[...DEFAULT].map((letter, code): [string, number[]] => [letter, [code]]).filter(([letter]) => letter !== "\u001b"),
  ...Object.entries(EXTENSION).map(([letter, code]): [string, number[]] => [letter, [ESCAPE, code]]),
]);

const EXTENDED = new Map(Object.entries(EXTENSION).map(([letter, code]) => [code, letter]));

/** An alphabet of a text. */
export type Alphabet = "gsm7" | "latin1" | "ucs2";

/** The text in GSM 7-bit, one septet per octet; null where it has a character that this has not. */
function gsm7(text: string): Uint8Array | null {
  const found: number[] = [];
  for (const letter of text) {
    const septets = SEPTETS.get(letter);
    if (!septets) return null;
    found.push(...septets);
  }
  return Uint8Array.from(found);
}

function latin1(text: string): Uint8Array | null {
  for (const letter of text) if ((letter.codePointAt(0) ?? 0) > 0xff) return null;
  return octets(text);
}

/** UTF-16 code units, the higher octet first: what phones read as UCS-2, emoji included. */
function ucs2(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at));
  return bytes;
}

/** The octets of a text; null where the alphabet has not all of its characters. */
export function encodeText(text: string, alphabet: Alphabet): Uint8Array | null {
  switch (alphabet) {
    case "gsm7":
      return gsm7(text);
    case "latin1":
      return latin1(text);
    case "ucs2":
      return ucs2(text);
  }
}

function fromGsm7(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code !== ESCAPE) {
      text += DEFAULT[code & 0x7f] ?? "";
      continue;
    }
    at += 1;
    const next = bytes[at];
    // An escape that leads nowhere shows the character of the default alphabet (3GPP TS 23.038 §6.2.1.1).
    if (next !== undefined) text += EXTENDED.get(next) ?? DEFAULT[next & 0x7f] ?? "";
  }
  return text;
}

function fromUcs2(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    text += String.fromCharCode((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  }
  return text;
}

/** The text of octets. */
export function decodeText(bytes: Uint8Array, alphabet: Alphabet): string {
  switch (alphabet) {
    case "gsm7":
      return fromGsm7(bytes);
    case "latin1":
      return textOfOctets(bytes);
    case "ucs2":
      return fromUcs2(bytes);
  }
}
