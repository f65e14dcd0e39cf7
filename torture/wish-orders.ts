import { newOrder } from "./orders.ts";
import type { Numbers, Order } from "./orders.ts";
import { between, oneOf, weighted } from "./random.ts";
import type { Random } from "./random.ts";

// Orders for later, orders whose price is asked first, and what is asked in their place.

/** Kinds of orders that can be sent later: a one-time password is for now. */
const LATER = { sms: 35, bulk: 35, abroad: 10, otp: 0, tts: 10, voice: 10, balance: 0 };

const PATHS = {
  sms: "/send-sms",
  bulk: "/send-bulk-sms",
  sms_international: "/send-international-sms",
  otp: "/send-otp",
  tts: "/api/tts-call",
  voice: "/api/make-voice-call",
} as const;

export type Quotable = keyof typeof PATHS;

/** How far ahead orders are, in ms: most have their time within a short run. */
const SOON_MS = [1_500, 9_000] as const;
const LATE_MS = [9_000, 60_000] as const;
const SOON_SHARE = 0.7;

/** A time ahead of now, in the form of `sendAt`, with one of two offsets. */
function timeOf(random: Random, nowMs: number): string {
  const [from, to] = random() < SOON_SHARE ? SOON_MS : LATE_MS;
  const atMs = nowMs + between(random, from, to);
  if (random() < 0.7) return new Date(atMs).toISOString();
  return new Date(atMs + 5.5 * 3_600_000).toISOString().replace("Z", "+05:30");
}

/** An order for later. */
export function laterOrder(random: Random, numbers: Numbers, fileIds: string[], nowMs: number): Order {
  const order = newOrder(random, numbers, fileIds, LATER);
  return { ...order, body: { ...order.body, sendAt: timeOf(random, nowMs) } };
}

/** Texts are short, so that their price is small for poor customers, too. */
const words = (random: Random) => `Your table is booked for ${between(random, 1, 23)} o'clock.`;

/** The fields of an order whose price is asked first; `count` is that of a bulk's recipients. */
export function quotable(
  random: Random,
  numbers: Numbers,
  fileIds: string[],
): { kind: Quotable; body: Record<string, unknown>; count: number } {
  const kind = weighted(random, { sms: 20, bulk: 15, sms_international: 40, otp: 10, tts: 8, voice: 7 });
  const count = between(random, 2, 9);
  return { kind, count, body: renumbered(kind, bodyOf(random, kind, fileIds), numbers, count) };
}

function bodyOf(random: Random, kind: Quotable, fileIds: string[]): Record<string, unknown> {
  switch (kind) {
    case "otp":
      return { otp: String(between(random, 0, 999_999)).padStart(6, "0") };
    case "tts":
      return { text: words(random) };
    case "voice":
      return { fileId: oneOf(random, fileIds) };
    default:
      return { message: words(random) };
  }
}

/** The same order to other numbers of the same country: its quote is for that, too. */
export function renumbered(
  kind: Quotable,
  body: Record<string, unknown>,
  numbers: Numbers,
  count: number,
): Record<string, unknown> {
  switch (kind) {
    case "bulk":
      return { ...body, recipients: Array.from({ length: count }, () => numbers.indian()) };
    case "sms_international":
      return { ...body, phone: `+${numbers.italian()}` };
    case "tts":
      return { ...body, callee: numbers.indian() };
    case "voice":
      return { ...body, callee: numbers.abroad() };
    default:
      return { ...body, phone: numbers.indian() };
  }
}

/** An order of which one thing differs that a quote is for. */
export function altered(
  kind: Quotable,
  body: Record<string, unknown>,
  numbers: Numbers,
  fileIds: string[],
): Record<string, unknown> {
  switch (kind) {
    case "bulk":
      return { ...body, recipients: [...(body["recipients"] as string[]), numbers.indian()] };
    case "sms_international":
      return { ...body, phone: `+${numbers.abroad()}` };
    case "otp":
      return { ...body, otp: String(body["otp"]) === "123456" ? "654321" : "123456" };
    case "tts":
      return { ...body, text: `${String(body["text"])} Really.` };
    case "voice":
      return { ...body, fileId: fileIds.find((id) => id !== body["fileId"]) };
    default:
      return { ...body, message: `${String(body["message"])} Really.` };
  }
}

/** A send of this kind. */
export const sendOf = (kind: Quotable, body: Record<string, unknown>, quote: string): Order => {
  return { method: "POST", path: PATHS[kind], body, quote };
};
