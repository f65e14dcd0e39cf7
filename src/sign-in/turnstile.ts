import * as z from "zod";
import type { Config } from "../config/settings.ts";
import { logProblem } from "../log.ts";

// Cloudflare Turnstile: the browser's widget gets a token, which this verifies once.
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/

/** Tokens are no longer than this. */
export const TOKEN_LENGTH_MAX = 2_048;

/** The action that the widget names: a token of another page's widget does not count here. */
export const TURNSTILE_ACTION = "sign-in-code";

const reply = z.object({ success: z.boolean(), hostname: z.string().optional(), action: z.string().optional() });

/**
 * Whether a token is genuine, unused, and from the widget of this console's own pages. False too when Turnstile does
 * not answer in time: the browser can wait instead.
 */
export async function verifyTurnstile(config: Config, token: string, address: string | undefined): Promise<boolean> {
  if (config.TURNSTILE_SECRET === undefined || token === "") return false;
  const form = new URLSearchParams({ secret: config.TURNSTILE_SECRET, response: token });
  if (address !== undefined) form.set("remoteip", address);
  try {
    const response = await fetch(`${config.TURNSTILE_URL}/turnstile/v0/siteverify`, {
      method: "POST",
      body: form,
      redirect: "manual",
      signal: AbortSignal.timeout(config.TURNSTILE_TIMEOUT_MS),
    });
    const { success, hostname, action } = reply.parse(await response.json());
    return success && hostname === new URL(config.CONSOLE_URL).hostname && action === TURNSTILE_ACTION;
  } catch (problem) {
    logProblem("turnstile", problem);
    return false;
  }
}
