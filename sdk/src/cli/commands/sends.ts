import type { SendInternationalSmsBody, SendOtpBody, SendSmsBody, TtsCallBody } from "../../index.ts";
import type { Command, Options } from "../command.ts";
import type { Given } from "../given.ts";
import { indianNumber, internationalNumber } from "../numbers.ts";
import { LATER, SENDING, laterIn, numberOf, place, textIn } from "../sending.ts";
import type { Order } from "../order.ts";
import { usage } from "../stop.ts";

// Commands that send one message or make one call.

/** A command that sends, and its order, which the command `preflight` also makes. */
export interface SendCommand extends Command {
  order(given: Given): Promise<Order>;
}

/** A command of its order. */
export function sending(command: Omit<SendCommand, "run">): SendCommand {
  return { ...command, run: async (context, given) => place(context, given, await command.order(given)) };
}

const TO: Options = {
  to: { type: "string", value: "NUMBER", need: true, about: "Indian mobile: ten digits, also with +91" },
};
const TEXT: Options = { text: { type: "string", need: true, about: "The text; - reads standard input" } };
const SENDER: Options = { sender: { type: "string", about: "What the receiver sees as sender" } };

const sendSms = sending({
  name: "send-sms",
  about: "Send one SMS to an Indian mobile",
  options: { ...TO, ...TEXT, ...SENDER, ...LATER, ...SENDING },
  examples: [
    "dastak send-sms --to 9876543210 --text 'Your order has left.'",
    "echo 'Shop opens at ten.' | dastak send-sms --to 9876543210 --text -",
  ],
  async order(given) {
    const phone = numberOf(given, "to", indianNumber);
    const body: SendSmsBody = {
      phone,
      message: await textIn(given),
      senderId: given.text("sender"),
      ...laterIn(given),
    };
    const send: Order["send"] = (client, options) => client.sendSms(body, options);
    return { asked: { operation: "sms", ...body }, base: "sms", path: "/send-sms", body, send };
  },
});

const sendInternationalSms = sending({
  name: "send-international-sms",
  about: "Send one SMS abroad",
  options: {
    to: { type: "string", value: "NUMBER", need: true, about: "With + and its country code: +447700900123" },
    ...TEXT,
    flash: { type: "boolean", about: "Shown at once, and not stored" },
    ...SENDER,
    ...LATER,
    ...SENDING,
  },
  examples: ["dastak send-international-sms --to +447700900123 --text Hello --dry-run"],
  async order(given) {
    const body: SendInternationalSmsBody = {
      phone: numberOf(given, "to", internationalNumber),
      message: await textIn(given),
      isFlash: given.flag("flash") || undefined,
      senderId: given.text("sender"),
      ...laterIn(given),
    };
    const send: Order["send"] = (client, options) => client.sendInternationalSms(body, options);
    return {
      asked: { operation: "sms_international", ...body },
      base: "sms",
      path: "/send-international-sms",
      body,
      send,
    };
  },
});

const otp = sending({
  name: "otp",
  about: "Send a one-time password of yours",
  more: "The password is sent as it is written: 048213 keeps its zero.",
  options: {
    ...TO,
    code: { type: "string", need: true, about: "The one-time password" },
    brand: { type: "string", value: "NAME", about: "The name in the text" },
    ...SENDING,
  },
  examples: ["dastak otp --to 9876543210 --code 048213 --brand Example"],
  async order(given) {
    const phone = numberOf(given, "to", indianNumber);
    const body: SendOtpBody = { phone, otp: given.need("code"), brandName: given.text("brand") };
    const send: Order["send"] = (client, options) => client.sendOtp(body, options);
    return { asked: { operation: "otp", ...body }, base: "otp", path: "/send-otp", body, send };
  },
});

const LANGUAGES = ["EN", "HI", "TE", "TA", "KN", "ML", "BN", "GU", "MR", "PA"] as const;
const ACCENTS = ["91", "1", "44", "61"] as const;
const VOICES = ["male", "female"] as const;

/** One of these words, which the parser has checked. */
const oneOf = <Word extends string>(words: readonly Word[], text: string | undefined) =>
  words.find((word) => word === text);

/** A speed such as 0.9. */
function rateIn(given: Given): number | undefined {
  const text = given.text("rate");
  if (text === undefined) return undefined;
  if (!/^[0-9]+(?:\.[0-9]+)?$/u.test(text)) throw usage("--rate must be a number, such as 0.9.");
  return Number(text);
}

const call = sending({
  name: "call",
  about: "Make a call that speaks a text",
  options: {
    to: { type: "string", value: "NUMBER", need: true, about: "Indian mobile or landline: ten digits, also with +91" },
    ...TEXT,
    language: { type: "string", value: "CODE", values: LANGUAGES, about: "Language of the text" },
    accent: { type: "string", value: "CODE", values: ACCENTS, about: "Country of an English voice" },
    voice: { type: "string", value: "WHICH", values: VOICES, about: "Which voice" },
    rate: { type: "string", value: "SPEED", about: "How fast: 0.8 is slow, 1.2 fast" },
    ...LATER,
    ...SENDING,
  },
  examples: ["dastak call --to 9876543210 --text 'Namaste. Your order has left.'"],
  async order(given) {
    const voice = oneOf(VOICES, given.text("voice"));
    const body: TtsCallBody = {
      callee: numberOf(given, "to", indianNumber),
      text: await textIn(given),
      language: oneOf(LANGUAGES, given.text("language")),
      accent: oneOf(ACCENTS, given.text("accent")),
      ssmlGender: voice && (voice === "male" ? 1 : 2),
      speakingRate: rateIn(given),
      ...laterIn(given),
    };
    const send: Order["send"] = (client, options) => client.ttsCall(body, options);
    return { asked: { operation: "tts", ...body }, base: "tts", path: "/api/tts-call", body, send };
  },
});

export const SENDS = [sendSms, sendInternationalSms, otp, call];
