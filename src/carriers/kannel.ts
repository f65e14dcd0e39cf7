import * as z from "zod";
import type { CarrierSetup } from "../model/carrier/carrier.ts";
import type { Outcome, ReceiptState } from "../model/message.ts";
import { countSegments } from "../text/segments.ts";
import type { Carrier, Outgoing, Receipt } from "./carrier.ts";
import { exchange, seenOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Around, Kind } from "./kind.ts";
import { byStatus, callbackFor, CODE_LENGTH_MAX, REF_LENGTH_MAX, withoutAnswer } from "./outcomes.ts";

// Kannel's sendsms (Kannel 1.4 User's Guide, chapter 6): a relay of the operator's own, for carriers that speak SMPP and
// want a fixed source address (contract §16.3). A submission is a GET, so that a broken connection is always unknown.
// Its user there needs `max-messages` and `concatenation = true`: without them Kannel cuts a text after its first part.

const text = (name: string, max: number) =>
  z.string(`${name} must be a text.`).min(1, `${name} must not be empty.`).max(max, `${name} is too long.`);

/** The name of an optional parameter of SMPP in Kannel's group smpp-tlv. */
const tlv = (name: string, value: string) =>
  z
    .string(`${name} must be a text.`)
    .regex(/^[A-Za-z][\w-]{0,63}$/u, `${name} must be the name of an smpp-tlv group of Kannel.`)
    .default(value);

const settings = z.strictObject({
  /** Of `sendsms`, such as https://relay.example/cgi-bin/sendsms. */
  url: z.url({ protocol: /^https?$/u, error: "url must be the https address of sendsms." }),
  username: text("username", 100),
  smsc: text("smsc", 100).optional(),
  sender: text("sender", 20).optional(),
  tlv_entity: tlv("tlv_entity", "pe_id"),
  tlv_template: tlv("tlv_template", "template_id"),
});

type Settings = z.output<typeof settings>;

const secrets = z.strictObject({ password: text("password", 200) });

const OPERATIONS = new Set(["sms", "sms_international", "otp"] as const);

/** All reports: delivered 1, undelivered 2, buffered 4, accepted by the carrier 8, refused by it 16. */
const REPORTS_MASK = "31";

const STATES: Readonly<Record<string, ReceiptState>> = {
  1: "delivered",
  2: "undelivered",
  4: "submitted",
  8: "submitted",
  16: "failed",
};

const metaEntry = (name: string, value: string): string => `${name}=${encodeURIComponent(value)}&`;

/** DLT fields as Kannel passes them on in its group smpp (User's Guide, meta-data). */
function metaData({ tlv_entity, tlv_template }: Settings, { dlt }: Outgoing): string | null {
  if (!dlt) return null;
  const template = dlt.templateId === null ? "" : metaEntry(tlv_template, dlt.templateId);
  return `?smpp?${metaEntry(tlv_entity, dlt.entityId)}${template}`;
}

/** The address of one submission. */
function addressOf(given: Settings, password: string, message: Outgoing, callbackUrl: string): string {
  const words = message.text ?? "";
  const from = message.content.sender ?? given.sender;
  const meta = metaData(given, message);
  const url = new URL(given.url);
  const query = {
    username: given.username,
    password,
    ...(given.smsc !== undefined && { smsc: given.smsc }),
    ...(from !== undefined && { from }),
    to: message.to.replace("+", ""),
    text: words,
    charset: "UTF-8",
    coding: countSegments(words).encoding === "GSM-7" ? "0" : "2",
    ...(message.content.flash === true && { mclass: "0" }),
    "dlr-mask": REPORTS_MASK,
    // Kannel fills in what begins with a percent sign: the report, the carrier's id, and the carrier's own words.
    "dlr-url": `${callbackFor(callbackUrl, message.ref)}&state=%d&id=%F&reply=%A`,
    ...(meta !== null && { "meta-data": meta }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** What Kannel's answer means: 202 takes the message, also into a queue; 403 is a wrong login. */
function outcomeOf(made: Exchange): Outcome {
  const none = withoutAnswer(made);
  if (none || made.kind !== "answer") return none ?? { kind: "unknown", code: "connection_broken" };
  return made.status === 202 ? { kind: "submitted" } : byStatus(made, [403]);
}

/** Why, in the carrier's words: the error of an SMPP receipt (SMPP 3.4, appendix B), or the status of its refusal. */
function codeOf(reply: string): string | undefined {
  const [, receipt] = /\berr:(\w{1,20})/u.exec(reply) ?? [];
  const [, refusal] = /^NACK\/(\w{1,20})/u.exec(reply) ?? [];
  return (receipt ?? refusal)?.slice(0, CODE_LENGTH_MAX);
}

function receiptOf(query: URLSearchParams): Receipt | null {
  const ref = query.get("ref");
  const report = query.get("state") ?? "";
  const state = Object.hasOwn(STATES, report) ? STATES[report] : undefined;
  if (ref === null || ref === "" || ref.length > REF_LENGTH_MAX || state === undefined) return null;
  const code = state === "undelivered" || state === "failed" ? codeOf(query.get("reply") ?? "") : undefined;
  return { ref, state, ...(code !== undefined && { code }) };
}

function carrier(setup: CarrierSetup<Settings>, { config, callbackUrl }: Around): Carrier {
  const { name, settings: given } = setup;
  const { password } = setup.secrets;
  return {
    name,
    isPaced: true,
    resubmits: false,
    operations: OPERATIONS,

    async submit(message, see) {
      if (password === undefined) return { kind: "not_accepted", code: "not_configured" };
      const made = await exchange({
        url: addressOf(given, password, message, callbackUrl),
        method: "GET",
        headers: {},
        timeoutMs: config.CARRIER_TIMEOUT_MS,
        reads: see !== undefined,
      });
      see?.(seenOf(made));
      return outcomeOf(made);
    },

    async receipts(request) {
      const one = receiptOf(new URL(request.url).searchParams);
      return one ? [one] : "invalid";
    },
  };
}

/** The kind of a Kannel. */
export const kannel: Kind<typeof settings> = {
  settings,
  secrets,
  addresses: ({ url }) => ({ url }),
  callback: "token",
  carrier,
};
