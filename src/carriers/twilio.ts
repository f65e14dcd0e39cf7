import * as z from "zod";
import type { CarrierSecrets, CarrierSetup } from "../model/carrier/carrier.ts";
import type { Outcome } from "../model/message.ts";
import { isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import { speechOf } from "../voices/voices.ts";
import type { Carrier, Outgoing } from "./carrier.ts";
import { exchange, seenOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Around, Kind } from "./kind.ts";
import { byStatus, callbackFor, jsonOf, notAccepted, withoutAnswer } from "./outcomes.ts";
import { readTwilioReceipt } from "./twilio-receipts.ts";
import { playTwiml, sayTwiml } from "./twiml.ts";

// Twilio's REST API of 2010-04-01 (contract §16.3): messages, and calls that say a text or play a recording.

const NUMBER = /^\+[1-9]\d{6,14}$/u;
/** A number in E.164, or a name of up to 11 characters with a letter in it. */
const SENDER = /^(?:\+[1-9]\d{6,14}|(?=.*[A-Za-z])[\w .&+-]{1,11})$/u;

const settings = z.strictObject({
  account_sid: z
    .string("account_sid must be AC and 32 hexadecimal digits.")
    .regex(/^AC[0-9a-fA-F]{32}$/u, "account_sid must be AC and 32 hexadecimal digits."),
  from: z
    .string("from must be a number such as +14155550132, or a name of up to 11 letters and digits.")
    .regex(SENDER, "from must be a number such as +14155550132, or a name of up to 11 letters and digits.")
    .optional(),
  messaging_service_sid: z
    .string("messaging_service_sid must be MG and 32 hexadecimal digits.")
    .regex(/^MG[0-9a-fA-F]{32}$/u, "messaging_service_sid must be MG and 32 hexadecimal digits.")
    .optional(),
  api_url: z
    .url({ protocol: /^https?$/u, error: "api_url must be an https address." })
    .default("https://api.twilio.com"),
});

type Settings = z.output<typeof settings>;

const secrets = z.strictObject({
  auth_token: z
    .string("auth_token is needed: it signs the receipts too.")
    .min(1, "auth_token must not be empty.")
    .max(200, "auth_token is too long."),
});

function fault({ from, messaging_service_sid }: Settings): { param: string; error: string } | null {
  if (from !== undefined || messaging_service_sid !== undefined) return null;
  return { param: "settings.from", error: "from or messaging_service_sid is needed." };
}

const TEXTS: readonly Operation[] = ["sms", "sms_international", "otp"];
const CALLS: readonly Operation[] = ["tts", "voice"];

/** A call comes from a number: neither a name nor a messaging service can make one. */
const operationsOf = ({ from }: Settings): ReadonlySet<Operation> =>
  new Set(from !== undefined && NUMBER.test(from) ? [...TEXTS, ...CALLS] : TEXTS);

/** The fields of a submission. */
function fieldsOf(given: Settings, message: Outgoing, callbackUrl: string): Record<string, string> {
  const { to, content, audioUrl } = message;
  const shared = { To: to, StatusCallback: callbackFor(callbackUrl, message.ref) };
  if (isCall(message.operation)) {
    const Twiml = audioUrl === null ? sayTwiml(message.text ?? "", speechOf(content)) : playTwiml(audioUrl);
    return { ...shared, From: given.from ?? "", Twiml };
  }
  const by =
    content.sender === undefined && given.messaging_service_sid !== undefined
      ? { MessagingServiceSid: given.messaging_service_sid }
      : { From: content.sender ?? given.from ?? "" };
  return { ...shared, ...by, Body: message.text ?? "" };
}

const answered = z.object({ sid: z.string().max(100).optional(), code: z.int().optional() });

/** Twilio's errors of the deployment's own account (twilio.com/docs/api/errors): its credentials, and that it is suspended. */
const OURS: ReadonlySet<number> = new Set([20003, 20005]);
/** Too many requests, whatever the status. */
const BUSY = 20429;

function readAnswer(made: Exchange): { outcome: Outcome; sid: string | null } {
  const none = withoutAnswer(made);
  if (none || made.kind !== "answer") {
    return { outcome: none ?? { kind: "unknown", code: "connection_broken" }, sid: null };
  }
  const { data = {} } = answered.safeParse(jsonOf(made.text));
  if (made.status >= 200 && made.status < 300) return { outcome: { kind: "submitted" }, sid: data.sid ?? null };
  const code = data.code === undefined ? `http_${made.status}` : String(data.code);
  const isOurs = data.code !== undefined && (OURS.has(data.code) || data.code === BUSY);
  return { outcome: isOurs ? notAccepted(made, code) : byStatus(made, [401], code), sid: null };
}

function carrier(setup: CarrierSetup<Settings>, { config, callbackUrl }: Around): Carrier {
  const { name, settings: given } = setup;
  const token = setup.secrets.auth_token;
  const account = `${given.api_url.replace(/\/+$/u, "")}/2010-04-01/Accounts/${given.account_sid}`;
  return {
    name,
    isPaced: true,
    resubmits: false,
    operations: operationsOf(given),
    plays: "telephone",

    async submit(message, see) {
      if (token === undefined) return { kind: "not_accepted", code: "not_configured" };
      const made = await exchange({
        url: `${account}/${isCall(message.operation) ? "Calls" : "Messages"}.json`,
        method: "POST",
        headers: {
          authorization: `Basic ${Buffer.from(`${given.account_sid}:${token}`).toString("base64")}`,
          "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
        },
        body: new URLSearchParams(fieldsOf(given, message, callbackUrl)).toString(),
        timeoutMs: config.CARRIER_TIMEOUT_MS,
        reads: true,
      });
      const { outcome, sid } = readAnswer(made);
      see?.(seenOf(made, sid));
      return outcome;
    },

    receipts: (request) => readTwilioReceipt(request, token, callbackUrl),
  };
}

/** The kind of an account at Twilio. */
export const twilio: Kind<typeof settings> = {
  settings,
  secrets,
  fault: (given: Settings, _secrets: CarrierSecrets) => fault(given),
  addresses: ({ api_url }) => ({ api_url }),
  callback: "signed",
  carrier,
};
