import type { Addresses } from "./types.ts";

/** Stand in a built document for the addresses of the deployment (`served.ts`); `.invalid` is no domain (RFC 6761 §6.4). */
export const PLACEHOLDERS: Addresses = {
  sms: "https://sms.invalid",
  tts: "https://tts.invalid",
  voice: "https://voice.invalid",
  otp: "https://otp.invalid",
  console: "https://console.invalid",
};
