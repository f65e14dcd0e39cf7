import { PRODUCT } from "../config.ts";
import type { Config } from "../config.ts";
import { ENDPOINTS, endpointUrl } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { curlOf, keyHeader } from "./curl.ts";

// What a form does, as the request of the API that does the same.

const EXAMPLES: Record<SendKind, object> = {
  sms: { phone: "9876543210", message: "Your order is on its way." },
  bulk: { recipients: ["9876543210", "9876543211"], message: "We are open till 9 pm today." },
  international: { phone: "+14155550132", message: "Your order is on its way.", isFlash: false },
  otp: { phone: "9876543210", otp: "482913", brandName: PRODUCT },
  tts: { callee: "9876543210", text: "Your order is on its way.", language: "EN", speakingRate: 1 },
  voice: { callee: "919876543210", fileId: "file_…" },
};

/** A curl command that does what a form does; the key comes from a variable of the shell. */
export function sampleOf(config: Config, kind: SendKind): string {
  const endpoint = ENDPOINTS[kind];
  return curlOf({ url: endpointUrl(config, endpoint), auth: keyHeader(endpoint), body: EXAMPLES[kind] }, 2);
}
