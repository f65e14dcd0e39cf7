import type { SendKind } from "../../src/model/operations.ts";
import { bearer, post } from "./world.ts";
import type { Reply, World } from "./world.ts";
import type { Page, Visitor } from "./visitor.ts";

// The forms that send, and the API's requests that do the same.

/** Asks for the reply in JSON, as the page's script does. */
export const JSON_TYPE = { accept: "application/json" };

/** A form of each kind, and the equivalent API request. */
interface Case {
  form: Record<string, string>;
  url: string;
  body: Record<string, unknown>;
}

const SMS = "http://sms.localhost";

/** A form of each kind but voice, whose recording differs from account to account. */
export const CASES: Record<Exclude<SendKind, "voice">, Case> = {
  sms: {
    form: { phone: "+91 98765 43210", message: "One\r\ntwo", senderId: " Acme " },
    url: `${SMS}/send-sms`,
    body: { phone: "9876543210", message: "One\ntwo", senderId: "Acme" },
  },
  bulk: {
    form: { recipients: "9876543210, 9876543211\r\n+919876543212;09876543210", message: "नमस्ते ".repeat(12) },
    url: `${SMS}/send-bulk-sms`,
    body: { recipients: ["9876543210", "9876543211", "9876543212"], message: "नमस्ते ".repeat(12) },
  },
  international: {
    form: { phone: "+1 (415) 555-0132", message: "Hello", isFlash: "1", senderId: "" },
    url: `${SMS}/send-international-sms`,
    body: { phone: "+14155550132", message: "Hello", isFlash: true },
  },
  otp: {
    form: { phone: "98765 43210", otp: "004213", brandName: "Chai & Co" },
    url: "http://otp.localhost/send-otp",
    body: { phone: "9876543210", otp: "004213", brandName: "Chai & Co" },
  },
  tts: {
    form: {
      callee: "022 1234 5678",
      text: "Namaste",
      language: "HI",
      accent: "44",
      ssmlGender: "1",
      speakingRate: "1.2",
    },
    url: "http://tts.localhost/api/tts-call",
    body: { callee: "2212345678", text: "Namaste", language: "HI", accent: "44", ssmlGender: 1, speakingRate: 1.2 },
  },
};

/** Sends a case by the API. */
export const byApi = (world: World, { url, body }: Omit<Case, "form">) =>
  post(url, body, url.includes("/api/") ? { "x-api-key": world.apiKey } : bearer(world.apiKey));

/** Posts a form as the page's script does. */
export async function asJson(visitor: Visitor, path: string, form: Record<string, string> | FormData): Promise<Reply> {
  const page = await visitor.submit(path, form, JSON_TYPE);
  return { ...page, body: JSON.parse(page.text) };
}

/** The value of a field in the page's form. */
export const fieldOf = (page: Page, name: string) =>
  new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"|<input[^>]* value="([^"]*)"[^>]* name="${name}"`, "u")
    .exec(page.text)
    ?.slice(1)
    .find((value) => value !== undefined);
