import * as z from "zod";
import type { CarrierSetup } from "../model/carrier/carrier.ts";
import type { Outcome } from "../model/message.ts";
import { isCall, OPERATION_NAMES } from "../model/operations.ts";
import { infobipLanguage, speechOf } from "../voices/voices.ts";
import type { Carrier, Outgoing } from "./carrier.ts";
import { exchange, seenOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { readInfobipReceipts } from "./infobip-receipts.ts";
import type { Around, Kind } from "./kind.ts";
import { byStatus, jsonOf, notAccepted, withoutAnswer } from "./outcomes.ts";

// Infobip's SMS API v3 and Voice API v3 (contract §16.3; Infobip's OpenAPI document 3.210): messages with flash and DLT,
// and calls that say a text or play a recording.

const settings = z.strictObject({
  /** The account's own, such as https://xyz123.api.infobip.com. */
  base_url: z.url({ protocol: /^https?$/u, error: "base_url must be the https address of the account's API." }),
  sender: z
    .string("sender must be a text.")
    .regex(/^\+?[\w .&-]{1,20}$/u, "sender must be a number or a name of up to 20 characters.")
    .optional(),
});

type Settings = z.output<typeof settings>;

const secrets = z.strictObject({
  api_key: z
    .string("api_key is needed.")
    .regex(/^[\x21-\x7E]{1,300}$/u, "api_key must be up to 300 printable characters without spaces."),
});

const digitsOf = (number: string): string => number.replace("+", "");

/** The body of `POST /sms/3/messages`. */
function smsOf(given: Settings, { ref, to, text, content, dlt }: Outgoing, callbackUrl: string): object {
  const options = {
    ...(content.flash === true && { flash: true }),
    ...(dlt && {
      regional: {
        indiaDlt: { principalEntityId: dlt.entityId, contentTemplateId: dlt.templateId ?? undefined },
      },
    }),
  };
  const message = {
    sender: content.sender ?? given.sender,
    destinations: [{ to: digitsOf(to), messageId: ref }],
    content: { text: text ?? "" },
    ...(Object.keys(options).length > 0 && { options }),
    webhooks: { delivery: { url: callbackUrl }, contentType: "application/json" },
  };
  return { messages: [message] };
}

/** The body of `POST /tts/3/advanced`; null where Infobip has no voice for the language. */
function callOf(given: Settings, message: Outgoing, callbackUrl: string): object | null {
  const { ref, to, content, audioUrl } = message;
  const speech = speechOf(content);
  const language = infobipLanguage(speech);
  if (audioUrl === null && language === null) return null;
  const spoken = { text: message.text ?? "", language, voice: { gender: speech.gender }, speechRate: speech.rate };
  const call = {
    // A call comes from a number, never from a name.
    ...(given.sender !== undefined && /^\+?\d+$/u.test(given.sender) && { from: digitsOf(given.sender) }),
    destinations: [{ to: digitsOf(to), messageId: ref }],
    ...(audioUrl === null ? spoken : { audioFileUrl: audioUrl }),
    notifyUrl: callbackUrl,
    notifyContentType: "application/json",
  };
  return { messages: [call] };
}

const status = z.object({ groupId: z.int(), name: z.string().max(100).optional() });
const answered = z.object({
  messages: z.tuple([z.object({ messageId: z.string().max(200).optional(), status })]).rest(z.unknown()),
});

/** ACCEPTED, PENDING and DELIVERED; and what refuses: UNDELIVERABLE, EXPIRED, REJECTED. */
const TAKEN: ReadonlySet<number> = new Set([0, 1, 3]);
const REFUSED: ReadonlySet<number> = new Set([2, 4, 5]);
/** Refusals for which the deployment's own account is the cause (contract §16.2). */
const OURS: ReadonlySet<string> = new Set(["REJECTED_NOT_ENOUGH_CREDITS", "REJECTED_PREPAID_PACKAGE_EXPIRED"]);

function readAnswer(made: Exchange): { outcome: Outcome; id: string | null } {
  const none = withoutAnswer(made);
  if (none || made.kind !== "answer") {
    return { outcome: none ?? { kind: "unknown", code: "connection_broken" }, id: null };
  }
  if (made.status < 200 || made.status >= 300) return { outcome: byStatus(made, [401, 403]), id: null };
  const { data } = answered.safeParse(jsonOf(made.text));
  // Taken or not: what says so could not be read.
  if (!data) return { outcome: { kind: "unknown", code: `http_${made.status}` }, id: null };
  const [{ messageId: id = null, status: said }] = data.messages;
  const code = said.name ?? `group_${said.groupId}`;
  if (OURS.has(code)) return { outcome: notAccepted(made, code), id };
  if (TAKEN.has(said.groupId)) return { outcome: { kind: "submitted" }, id };
  return { outcome: { kind: REFUSED.has(said.groupId) ? "rejected" : "unknown", code }, id };
}

const ALL_OPERATIONS = new Set(OPERATION_NAMES);

function carrier(setup: CarrierSetup<Settings>, { config, callbackUrl }: Around): Carrier {
  const { name, settings: given } = setup;
  const key = setup.secrets.api_key;
  const base = given.base_url.replace(/\/+$/u, "");
  return {
    name,
    isPaced: true,
    resubmits: false,
    operations: ALL_OPERATIONS,
    speaks: (speech) => infobipLanguage(speech) !== null,
    plays: "telephone",

    async submit(message, see) {
      if (key === undefined) return { kind: "not_accepted", code: "not_configured" };
      const calls = isCall(message.operation);
      const body = calls ? callOf(given, message, callbackUrl) : smsOf(given, message, callbackUrl);
      // Another carrier may have a voice for it; nothing has left.
      if (body === null) return { kind: "not_accepted", code: "no_voice" };
      const made = await exchange({
        url: `${base}${calls ? "/tts/3/advanced" : "/sms/3/messages"}`,
        method: "POST",
        headers: { authorization: `App ${key}`, "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(body),
        timeoutMs: config.CARRIER_TIMEOUT_MS,
        reads: true,
      });
      const { outcome, id } = readAnswer(made);
      see?.(seenOf(made, id));
      return outcome;
    },

    receipts: readInfobipReceipts,
  };
}

/** The kind of an account at Infobip. */
export const infobip: Kind<typeof settings> = {
  settings,
  secrets,
  addresses: ({ base_url }) => ({ base_url }),
  callback: "token",
  carrier,
};
