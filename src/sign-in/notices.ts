import type { Context } from "hono";
import { PRODUCT } from "../config/settings.ts";
import { randomId } from "../crypto/ids.ts";
import type { AppEnv } from "../http/app.ts";
import { logProblem } from "../log.ts";
import { ENDPOINTS } from "../model/operations.ts";
import { isIndian } from "../text/phones.ts";
import { callAsCodeSender } from "./code-sender.ts";

// What the service says by SMS to a person's phone about a change of how they sign in (ASVS 5, 6.3.7). A notice has no
// code and no link, is at most 160 characters long, and is English as the codes are.

const secured = "Not you? Sign in with this number and set a new password in Settings.";

/** What a notice is about. */
export const NOTICES = {
  email: () => `The e-mail address of your ${PRODUCT} account was changed. ${secured}`,
  password: () => `The password of your ${PRODUCT} account was changed. ${secured}`,
  emailAndPassword: () => `E-mail address and password of your ${PRODUCT} account were changed. ${secured}`,
  phone: () =>
    `Your ${PRODUCT} account has a new mobile number; this one no longer signs in to it. Not you? Contact support at once.`,
  closing: (day: string) =>
    `Your ${PRODUCT} account is being closed. It is erased on ${day}. Not you, or not any more? Sign in with this number and keep it.`,
  nextPhone: (day: string) =>
    `Your ${PRODUCT} account gets a new mobile number on ${day}. Not you? Sign in with this number and stop it in Settings.`,
} as const;

/** A day as a notice says it, in India. */
export function dayOf(ms: number): string {
  const options = { day: "numeric", month: "short", year: "numeric", timeZone: "Asia/Kolkata" } as const;
  return new Intl.DateTimeFormat("en-IN", options).format(ms);
}

/**
 * Sends a notice, after the change that it is about. The sign-in account pays for it; a notice that cannot be sent is
 * logged for the operator, and does not undo the change.
 */
export async function notify(c: Context<AppEnv>, phone: string, message: string): Promise<void> {
  const key = randomId("notice");
  try {
    const { status } = await (isIndian(phone)
      ? callAsCodeSender(c, ENDPOINTS.sms.path, { phone: phone.slice(3), message }, key)
      : callAsCodeSender(c, ENDPOINTS.international.path, { phone, message }, key));
    if (status !== 200) logProblem("notice", new Error(`a notice was refused with status ${status}`));
  } catch (problem) {
    logProblem("notice", problem);
  }
}
