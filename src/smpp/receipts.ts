import type { ReceiptState } from "../model/message.ts";
import { decodeText } from "./alphabets.ts";
import { textOfOctets } from "./pdu.ts";
import type { SmppSettings } from "./settings.ts";
import { TAG } from "./tags.ts";
import type { Delivered } from "./units.ts";

// Delivery receipts (SMPP 3.4, appendix B and §5.2.28): parameters where the centre sends them, else its text, whose
// spelling the standard leaves to each vendor.

/** What a receipt says of the message with this id of the carrier. */
export interface SmppReceipt {
  id: string;
  state: ReceiptState;
  /** The network's error, else the state's word; of what was delivered only an error other than 0. */
  code: string | null;
}

/** Words of `message_state`, by number. */
const WORDS = [
  "SCHEDULED",
  "ENROUTE",
  "DELIVRD",
  "EXPIRED",
  "DELETED",
  "UNDELIV",
  "ACCEPTD",
  "UNKNOWN",
  "REJECTD",
  "SKIPPED",
];

/** States by the beginnings of their words, in the spellings of different vendors. UNKNOWN ends nothing. */
const STATES: readonly (readonly [begins: RegExp, state: ReceiptState])[] = [
  [/^DELIV/u, "delivered"],
  [/^(?:UNDEL|EXPIR|DELET|SKIP)/u, "undelivered"],
  [/^(?:REJ|FAIL)/u, "failed"],
  [/^(?:EN_?ROUTE|ACCEP|SCHED|BUFF|UNKN)/u, "submitted"],
];

/** Where a receipt is said in esm_class: its message type, without mode and features (§5.2.12). */
const TYPE = 0x3c;
const IS_RECEIPT = 0x04;
const IS_INTERMEDIATE = 0x20;

/** The octets of a text parameter, with or without a zero at the end. */
const textIn = (bytes: Uint8Array | undefined): string => textOfOctets(bytes ?? new Uint8Array(0)).split("\0")[0] ?? "";

/** A field of the text, before the message's own words: `stat:DELIVRD`, `Stat = DELIVRD`. */
function field(text: string, names: string): string {
  return new RegExp(String.raw`(?:^|[\s,;|])(?:${names})\s*[:=]\s*([^\s,;|]+)`, "iu").exec(text)?.[1] ?? "";
}

/** The text up to the message's own words, which are its author's and prove nothing. */
function headOf({ octets, dataCoding }: Delivered): string {
  const text = decodeText(octets, (dataCoding & 0x0c) === 0x08 ? "ucs2" : "latin1");
  return text.split(/(?:^|[\s,;|])(?:text|msg)\s*[:=]/iu)[0] ?? "";
}

/** The error in `network_error_code` (§5.3.2.31): a network type, and its number. */
function networkError(bytes: Uint8Array | undefined): string {
  return bytes?.length === 3 ? String((bytes[1] ?? 0) * 256 + (bytes[2] ?? 0)) : "";
}

/** Reads a receipt; null for what is none, as a message from a phone, or has neither an id nor a known state. */
export function readReceipt(delivered: Delivered): SmppReceipt | null {
  const { esmClass, tlvs } = delivered;
  const stateTlv = tlvs.get(TAG.messageState)?.[0];
  const idTlv = textIn(tlvs.get(TAG.receiptedMessageId)).trim();
  const type = esmClass & TYPE;
  // Some centres forget the type, but no phone sets both parameters; the text of a phone is never read as a receipt.
  if (type !== IS_RECEIPT && type !== IS_INTERMEDIATE && (idTlv === "" || stateTlv === undefined)) return null;
  const head = headOf(delivered);
  const id = idTlv === "" ? field(head, "(?:message|msg)?[ _]?id") : idTlv;
  const word = (stateTlv === undefined ? field(head, "stat|status|state") : (WORDS[stateTlv] ?? "")).toUpperCase();
  const state = STATES.find(([begins]) => begins.test(word))?.[1];
  if (id === "" || state === undefined) return null;
  const said = field(head, "err|error|err_?code|error_?code");
  const error = /[^0]/u.test(said) ? said : networkError(tlvs.get(TAG.networkErrorCode));
  return { id, state, code: codeOf(error, word, state) };
}

function codeOf(error: string, word: string, state: ReceiptState): string | null {
  if (/[^0]/u.test(error)) return error.slice(0, 20);
  return state === "delivered" || state === "submitted" ? null : word;
}

/** The longest id that is kept; the standard has 64 octets. */
const ID_LENGTH_MAX = 64;

/**
 * One spelling of an id: of the `answer` or the `receipt`. With `hex` both are the number in decimals; what is no number
 * stays as it is.
 */
export function idOf(id: string, form: SmppSettings["id_form"], from: "answer" | "receipt"): string {
  const cut = id.slice(0, ID_LENGTH_MAX);
  if (form === "same") return cut;
  if (from === "answer") return /^[0-9A-Fa-f]+$/u.test(cut) ? BigInt(`0x${cut}`).toString() : cut;
  return /^[0-9]+$/u.test(cut) ? BigInt(cut).toString() : cut;
}
