import { createHmac } from "node:crypto";
import { sameBytes } from "../../crypto/bytes.ts";
import { bytesUpTo } from "../../http/streams.ts";
import type { ReceiptState } from "../../model/message.ts";
import type { Receipt } from "../carrier.ts";
import type { CarrierIds } from "../ids.ts";
import { jsonIn, textAt } from "./json.ts";
import { ID_LENGTH_MAX } from "./rules.ts";
import type { ReceiptSettings } from "./settings.ts";

// Receipts of the kind `template` (contract §16.3): a form, a query or JSON, by GET or POST, with the words of the carrier.

/** The largest receipt. */
const RECEIPT_BYTES_MAX = 65_536;

/** The longest code that is kept. */
const CODE_LENGTH_MAX = 100;

/** Reads a field of a receipt; null where it is not there. */
type Fields = (name: string) => string | null;

/** Whether the body's bytes are signed with this key; null bytes are of a body that is too large. */
function isSigned(
  bytes: Uint8Array | null,
  key: string | undefined,
  { header, encoding }: { header: string; encoding: "hex" | "base64" },
  headers: Headers,
): boolean {
  const given = headers.get(header)?.trim();
  if (!given || !bytes || key === undefined) return false;
  const right = createHmac("sha256", key).update(bytes).digest();
  // Decoders pass over what is no hex or Base64, so that the length of the text counts too.
  const isWhole = given.length === right.toString(encoding).length;
  return isWhole && sameBytes(Uint8Array.from(right), Uint8Array.from(Buffer.from(given, encoding)));
}

/** The fields of a request: of its body first, then of its address. Null where the body is no text. */
function fieldsOf(request: Request, bytes: Uint8Array): Fields | null {
  const query = new URL(request.url).searchParams;
  if (bytes.length === 0) return (name) => query.get(name);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
  const isJson = /^[^;]*json/iu.test(request.headers.get("content-type") ?? "") || /^\s*[[{]/u.test(text);
  if (!isJson) {
    const form = new URLSearchParams(text);
    return (name) => form.get(name) ?? query.get(name);
  }
  const json = jsonIn(text);
  if (json === undefined) return null;
  return (name) => textAt(json, name) ?? query.get(name);
}

export interface ReceiptReading {
  settings: ReceiptSettings;
  /** The secret `hmac_key`. */
  hmacKey: string | undefined;
  /** Absent where nothing stores ids: receipts by id are then of unknown messages. */
  ids: CarrierIds | undefined;
}

/** The words of the settings in lower case, with their states. */
export const wordsOf = ({ states }: ReceiptSettings): ReadonlyMap<string, ReceiptState> =>
  new Map(Object.entries(states).map(([word, state]) => [word.toLowerCase(), state]));

/** Reads one receipt whose token was proved. A message that is not known gives no receipt, and no error. */
export async function receiptOf(
  request: Request,
  { settings, hmacKey, ids }: ReceiptReading,
  words: ReadonlyMap<string, ReceiptState>,
): Promise<Receipt[] | "forged" | "invalid"> {
  const bytes = (await bytesUpTo(request, RECEIPT_BYTES_MAX)).value;
  if (settings.hmac && !isSigned(bytes, hmacKey, settings.hmac, request.headers)) return "forged";
  const field = bytes && fieldsOf(request, bytes);
  if (!field) return "invalid";
  const whose = field(settings.ref ?? settings.id ?? "");
  const state = words.get((field(settings.state) ?? "").toLowerCase());
  if (!whose || whose.length > ID_LENGTH_MAX || state === undefined) return "invalid";
  const code = (settings.code === undefined ? null : field(settings.code))?.slice(0, CODE_LENGTH_MAX);
  const said = code ? { state, code } : { state };
  const ref = settings.ref === undefined ? await ids?.find(whose, said) : whose;
  return ref === undefined || ref === null ? [] : [{ ref, ...said }];
}
