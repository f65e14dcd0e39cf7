import type { Config } from "../config/settings.ts";

// Which addresses a webhook may have (contract §14). Asked when one is stored, and again at each delivery: the rules, the
// deployment's hosts and what is stored may have changed meanwhile.

/** The longest address. */
export const URL_LENGTH_MAX = 2_000;

/** The longest description of a webhook, in characters. */
export const DESCRIPTION_MAX = 200;

/** Names that lead into a private network, or nowhere (RFC 6761, RFC 6762, RFC 8375, RFC 9476). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|private|corp|lan|home|arpa|test|invalid|onion|alt)$/u;

/** The machine itself. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/u;

/** The hosts of the deployment's own base addresses. */
const ownHosts = (config: Config): string[] =>
  [config.SMS_URL, config.TTS_URL, config.VOICE_URL, config.OTP_URL, config.CONSOLE_URL].map(
    (url) => new URL(url).hostname,
  );

/**
 * Why an address must not be posted to, as a sentence; null: it may. Locally, http and loopback are allowed at any port.
 * The parser has made 127.1, 0x7f000001 and 2130706433 into 127.0.0.1 by then; no address in numbers is taken.
 */
export function refusedAddress(config: Config, text: string): string | null {
  const url = text.length <= URL_LENGTH_MAX ? URL.parse(text) : null;
  if (!url) return "url must be an address such as https://example.com/webhooks.";
  if (url.username || url.password) return "url must not have a user name or a password.";
  if (url.hash || text.includes("#")) return "url must not have a fragment.";
  const isLocal = config.ENVIRONMENT === "local";
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:")) return "url must begin with https://.";
  const host = url.hostname.replace(/\.+$/u, "").toLowerCase();
  if (isLocal && LOOPBACK.test(host)) return null;
  if (host.startsWith("[") || /^[0-9.]+$/u.test(host)) return "url must name a host, not an IP address.";
  if (!host.includes(".") || PRIVATE_NAME.test(host)) return "url must name a public host.";
  if (ownHosts(config).some((own) => host === own || host.endsWith(`.${own}`))) {
    return "url must not be one of this service's own addresses.";
  }
  return null;
}
