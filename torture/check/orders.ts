import type { Account, Evidence, Intention, Message } from "./evidence.ts";
import { quotesOf } from "./quoted.ts";

// What an order means by the published contract alone: its recipients, operation, text and price.

/** Units of 1/10,000 coin. */
const COIN = 10_000;
const OTP_UNITS = { starter: 2_500, business: 2_000, premium: 1_500 } as const;

/** The basic alphabet of GSM 03.38, as far as these texts use it. */
const GSM = /^[A-Za-z0-9 \r\n@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]*$/u;

function segments(text: string): number {
  const [single, part] = GSM.test(text) ? [160, 153] : [70, 67];
  return text.length <= single ? 1 : Math.ceil(text.length / part);
}

/** Calls are billed per started half minute. */
const BLOCK_SEC = 30;

export interface Meant {
  /** E.164, without duplicates. */
  recipients: string[];
  operation: string;
  /** The text that the gateway must receive; null for a recording. */
  text: string | null;
  /** Units per recipient. */
  price: number;
}

const NOTHING: Meant = { recipients: [], operation: "", text: null, price: 0 };

function one(to: string, operation: string, text: string | null, price: number): Meant {
  return { recipients: [to], operation, text, price };
}

/** Duration of each recording in seconds, by file id; the file name contains it. */
export function recordingsOf({ intentions }: Evidence): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const { path, body, tries } of intentions) {
    const told = tries.find(({ status }) => status === 200);
    if (path !== "/api/upload-voice" || !told) continue;
    const { fileId } = JSON.parse(told.body) as { fileId: string };
    seconds.set(fileId, Number(/\d+/u.exec(String(body["fileName"]))?.[0]));
  }
  return seconds;
}

/** The meaning of an order. */
export function meantBy({ path, body }: Intention, { plan }: Account, recordings: Map<string, number>): Meant {
  const [phone, callee, text] = [body["phone"], body["callee"], body["message"] ?? body["text"]].map(String) as [
    string,
    string,
    string,
  ];
  switch (path) {
    case "/send-sms":
      return one(`+91${phone}`, "sms", text, segments(text) * COIN);
    case "/send-bulk-sms": {
      const recipients = [...new Set(body["recipients"] as string[])].map((number) => `+91${number}`);
      return { recipients, operation: "sms", text, price: segments(text) * COIN };
    }
    case "/send-international-sms":
      if (phone.startsWith("+91")) return one(phone, "sms", text, segments(text) * COIN);
      return one(phone, "sms_international", text, 5 * segments(text) * COIN);
    case "/send-otp":
      return one(`+91${phone}`, "otp", String(body["otp"]), OTP_UNITS[plan]);
    case "/api/tts-call":
      return one(`+91${callee}`, "tts", text, 2 * COIN);
    case "/api/make-voice-call": {
      const seconds = recordings.get(String(body["fileId"])) ?? Number.NaN;
      return one(`+${callee}`, "voice", null, 2 * COIN * Math.ceil(seconds / BLOCK_SEC));
    }
    default:
      return NOTHING;
  }
}

/** An order with its meaning and its messages. */
export interface Case {
  intention: Intention;
  account: Account;
  meant: Meant;
  messages: Message[];
}

/**
 * Every order with its messages, matched by number, because each number is used by one order only. `strangers` are
 * messages without an order.
 */
export function casesOf(evidence: Evidence): { cases: Case[]; strangers: Message[] } {
  const recordings = recordingsOf(evidence);
  const quotes = quotesOf(evidence);
  const byNumber = new Map<string, Case>();
  const cases = evidence.intentions.flatMap((intention): Case[] => {
    const account = evidence.accounts.get(intention.account);
    if (!account) throw new Error(`the log names an account that was never opened: ${intention.account}`);
    const wrong = intention.means === "wrong";
    const plain = wrong ? NOTHING : meantBy(intention, account, recordings);
    const quote = quotes.get(intention.quote ?? "");
    const meant = wrong || !quote ? plain : { ...plain, price: quote.price };
    const found: Case = { intention, account, meant, messages: [] };
    for (const to of meant.recipients) byNumber.set(`${account.id} ${to}`, found);
    return [found];
  });
  const strangers = evidence.books
    .flatMap(({ messages }) => messages)
    .filter((message) => {
      const found = byNumber.get(`${message.account} ${message.to}`);
      found?.messages.push(message);
      return !found;
    });
  return { cases, strangers };
}

/** Whether this is a request to the account's own API, which sends nothing. */
export const isOwn = ({ path }: Intention) => path.startsWith("/v1/");

/** The time for which an order is, by the service's clock; null: it is for now. */
export function sendAtOf({ path, body: { sendAt } }: Intention): number | null {
  return path === "/v1/preflight" || typeof sendAt !== "string" ? null : Date.parse(sendAt);
}

/** Whether the service may have executed this order: a reply said so, or a reply was lost. */
export function mayBeDone({ means, tries }: Intention): boolean {
  return means === "good" && tries.some(({ status }) => status === 200 || status === null || status >= 500);
}

export const isTold = ({ tries }: Intention) => tries.some(({ status }) => status === 200);
