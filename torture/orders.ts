import { between, oneOf, weighted } from "./random.ts";
import type { Random } from "./random.ts";

// What customers order: every order is drawn from its customer's own random numbers, and every phone number is used by
// one order only, so that a message identifies its order.

/** The intended result of an order; `other` repeats a key with another body. */
export type Meaning = "good" | "wrong" | "forged" | "other";

export interface Order {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: Record<string, unknown>;
  /** The quote with which it is sent (`Price-Quote`). */
  quote?: string;
  /** The order that it takes back. */
  of?: string;
}

/** Recordings that every account uploads before its first call, in seconds of silence. */
export const RECORDING_SECONDS = [2, 29, 31, 65] as const;

const SAMPLES_PER_SECOND = 1_000;

/** Silence as a WAV file: one byte per sample. */
export function silence(seconds: number): Buffer {
  const size = SAMPLES_PER_SECOND * seconds;
  const head = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  head.writeUInt32LE(36 + size, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(size, 128)]);
}

export function upload(seconds: number): Order {
  const body = { fileName: `silence-${seconds}.wav`, base64Data: silence(seconds).toString("base64") };
  return { method: "POST", path: "/api/upload-voice", body };
}

/** Phone numbers of one lane, each used once. */
export class Numbers {
  #next: number;

  constructor(lane: number) {
    this.#next = lane * 1_000_000;
  }

  /** Ten digits of an Indian mobile. */
  indian(): string {
    return String(7_100_000_000 + this.#next++);
  }

  /** Country code and number of a German mobile. */
  abroad(): string {
    return `4915${String(this.#next++).padStart(9, "0")}`;
  }

  /** Country code and number of an Italian mobile: the operator changes the price of an SMS there all the time. */
  italian(): string {
    return `393${100_000_000 + this.#next++}`;
  }
}

const WORDS = "Your order left the shop and will be with you soon; call us at any time. Thank you, and come again! ";

/** A text of one or several segments; with a letter outside the GSM alphabet, segments are shorter. */
function text(random: Random, lengthMax: number): string {
  const length = between(random, 1, lengthMax);
  const words = WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
  return random() < 0.2 ? `ध${words.slice(1)}` : words;
}

/** The number of recipients of a bulk: most bulks are small, some fill more than one job of the service. */
function bulkSize(random: Random): number {
  const size = weighted(random, { few: 67, some: 18, many: 15 });
  if (size === "few") return between(random, 1, 8);
  return size === "some" ? between(random, 9, 40) : between(random, 101, 220);
}

type Kind = "sms" | "bulk" | "abroad" | "otp" | "tts" | "voice" | "balance";

const WEIGHTS: Record<Kind, number> = { sms: 40, bulk: 8, abroad: 10, otp: 20, tts: 8, voice: 8, balance: 6 };

const post = (path: string, body: Record<string, unknown>): Order => ({ method: "POST", path, body });

/** A valid order, of one of these kinds. `fileIds` are the account's recordings. */
export function newOrder(random: Random, numbers: Numbers, fileIds: string[], weights = WEIGHTS): Order {
  const kind = weighted(random, weights);
  switch (kind) {
    case "sms":
      return post("/send-sms", { phone: numbers.indian(), message: text(random, 160) });
    case "bulk": {
      const recipients = Array.from({ length: bulkSize(random) }, () => numbers.indian());
      // A repeated number is sent and charged once.
      if (random() < 0.2) recipients.push(oneOf(random, recipients));
      return post("/send-bulk-sms", { recipients, message: text(random, 160), senderId: "DASTAK" });
    }
    case "abroad": {
      const phone = random() < 0.2 ? `+91${numbers.indian()}` : `+${numbers.abroad()}`;
      return post("/send-international-sms", { phone, message: text(random, 160), isFlash: random() < 0.3 });
    }
    case "otp":
      return post("/send-otp", { phone: numbers.indian(), otp: String(between(random, 0, 999_999)).padStart(6, "0") });
    case "tts":
      return post("/api/tts-call", { callee: numbers.indian(), text: text(random, 250), language: "HI" });
    case "voice":
      return post("/api/make-voice-call", { callee: numbers.abroad(), fileId: oneOf(random, fileIds) });
    case "balance":
      return { method: "GET", path: "/account-balance" };
  }
}

/** An order with one fault, which must be refused as a whole. */
export function wrongOrder(random: Random, numbers: Numbers): Order {
  const phone = numbers.indian();
  return oneOf(random, [
    post("/send-sms", { phone: phone.slice(1), message: "Nine digits" }),
    post("/send-sms", { phone, message: "x".repeat(161) }),
    post("/send-sms", { phone }),
    post("/send-bulk-sms", { recipients: [phone, "12345"], message: "One bad number" }),
    post("/send-bulk-sms", { recipients: [], message: "Nobody" }),
    post("/send-international-sms", { phone: `+${numbers.abroad()}`, message: "Flash", isFlash: "yes" }),
    post("/send-otp", { phone, otp: 123456 }),
    post("/api/tts-call", { callee: phone, text: "Too fast", speakingRate: 9 }),
    post("/api/make-voice-call", { callee: numbers.abroad(), fileId: "file_of_nobody" }),
  ]);
}
