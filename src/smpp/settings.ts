import * as z from "zod";

// The settings of a carrier over SMPP (contract-carriers §16.3), as the operator sets them and its objects store them.

/** Binds that a carrier may have. */
export const BINDS_MAX = 8;

/** A host name or an IP address. That it is a public one is checked where the operator sets it (contract §16.1). */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/u;

const whole = (min: number, max: number) => z.int().min(min).max(max);
const ascii = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7E]*$/u, "must be printable ASCII.");
const tag = (fallback: string) =>
  z
    .string()
    .regex(/^0x[0-9A-Fa-f]{4}$/u, 'must be a tag of four hexadecimal digits, as in "0x1400".')
    .default(fallback);
/** Types and plans of numbers (SMPP 3.4 §5.2.5, §5.2.6); null: by the address itself. */
const typeOfNumber = whole(0, 6).nullable().default(null);
const plan = whole(0, 18).nullable().default(null);

/** With their defaults; strict, so that a misspelled one is refused. */
export const SMPP_SETTINGS = z.strictObject({
  host: z.string().max(253).regex(HOST, "must be a host name or an IP address."),
  port: whole(1, 65_535).default(2775),
  tls: z.boolean().default(false),
  system_id: ascii(15).min(1),
  system_type: ascii(12).default(""),
  /** One connection for both directions, or one for each. */
  bind: z.enum(["trx", "tx_rx"]).default("trx"),
  binds: whole(1, BINDS_MAX).default(1),
  /** Submissions without an answer, per bind. */
  window: whole(1, 255).default(10),
  /** The sender of messages that name none. */
  sender: z
    .string()
    .regex(/^(?:\+?[0-9]{1,20}|[A-Za-z0-9 _.-]{1,11})$/u, "must be a number, or 1 to 11 letters and digits.")
    .optional(),
  encoding: z.enum(["gsm7", "latin1"]).default("gsm7"),
  long: z.enum(["udh", "sar", "payload"]).default("udh"),
  flash: z.enum(["dc", "tlv"]).default("dc"),
  source_ton: typeOfNumber,
  source_npi: plan,
  dest_ton: typeOfNumber,
  dest_npi: plan,
  /** India's DLT fields: their tags, and whether their values end with a zero. */
  tlv_entity: tag("0x1400"),
  tlv_template: tag("0x1401"),
  tlv_terminated: z.boolean().default(false),
  enquire_s: whole(1, 300).default(30),
  response_s: whole(1, 60).default(10),
  /** Whether the id of the answer is the receipt's, or the same number in hexadecimal. */
  id_form: z.enum(["same", "hex"]).default("same"),
});

export type SmppSettings = z.output<typeof SMPP_SETTINGS>;

/** SMPP 3.4 allows 8 octets, but several carriers issue longer passwords. */
export const SMPP_SECRETS = z.strictObject({ password: ascii(64).min(1) });
