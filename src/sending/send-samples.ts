import { PRODUCT } from "../config.ts";
import type { Config } from "../config.ts";
import { SENDS } from "./send-kinds.ts";
import type { SendKind } from "./send-kinds.ts";

// What a form does, as the request of the API that does the same.

const EXAMPLES: Record<SendKind, object> = {
  sms: { phone: "9876543210", message: "Your order is on its way." },
  bulk: { recipients: ["9876543210", "9876543211"], message: "We are open till 9 pm today." },
  international: { phone: "+14155550132", message: "Your order is on its way.", isFlash: false },
  otp: { phone: "9876543210", otp: "482913", brandName: PRODUCT },
  tts: { callee: "9876543210", text: "Your order is on its way.", language: "EN", speakingRate: 1 },
  voice: { callee: "919876543210", fileId: "file_…" },
};

const BASES: Record<SendKind, keyof Config & `${string}_URL`> = {
  sms: "SMS_URL",
  bulk: "SMS_URL",
  international: "SMS_URL",
  otp: "OTP_URL",
  tts: "TTS_URL",
  voice: "VOICE_URL",
};

/** A curl command that does what a form does; the key comes from a variable of the shell. */
export function sampleOf(config: Config, kind: SendKind): string {
  const key = `$${PRODUCT.toUpperCase()}_KEY`;
  const proof = kind === "tts" || kind === "voice" ? `x-api-key: ${key}` : `Authorization: Bearer ${key}`;
  const url = `${String(config[BASES[kind]])}${SENDS[kind].path}`;
  const body = JSON.stringify(EXAMPLES[kind], null, 2);
  return [`curl ${url}`, `-H "${proof}"`, '-H "Content-Type: application/json"', `-d '${body}'`].join(" \\\n  ");
}
