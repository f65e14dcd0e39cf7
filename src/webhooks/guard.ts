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

/** Why an address must not be posted to, as the API says it. */
export const ADDRESS_FAULTS = {
  form: "url must be an address such as https://example.com/webhooks.",
  credentials: "url must not have a user name or a password.",
  fragment: "url must not have a fragment.",
  not_https: "url must begin with https://.",
  ip_address: "url must name a host, not an IP address.",
  not_public: "url must name a public host.",
  own: "url must not be one of this service's own addresses.",
} as const;

export type AddressFault = keyof typeof ADDRESS_FAULTS;

/**
 * Why an address must not be posted to; null: it may. Locally, http and loopback are allowed at any port.
 * The parser has made 127.1, 0x7f000001 and 2130706433 into 127.0.0.1 by then; no address in numbers is taken.
 */
export function refusedAddress(config: Config, text: string): AddressFault | null {
  const url = text.length <= URL_LENGTH_MAX ? URL.parse(text) : null;
  if (!url) return "form";
  if (url.username || url.password) return "credentials";
  if (url.hash || text.includes("#")) return "fragment";
  const isLocal = config.ENVIRONMENT === "local";
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:")) return "not_https";
  const host = url.hostname.replace(/\.+$/u, "").toLowerCase();
  if (isLocal && LOOPBACK.test(host)) return null;
  if (host.startsWith("[") || /^[0-9.]+$/u.test(host)) return "ip_address";
  return refusedName(config, host);
}

/** Why a host's name leads nowhere outside; null: it may be one. */
function refusedName(config: Config, host: string): "not_public" | "own" | null {
  if (!host.includes(".") || PRIVATE_NAME.test(host)) return "not_public";
  return ownHosts(config).some((own) => host === own || host.endsWith(`.${own}`)) ? "own" : null;
}

/** IPv4 addresses that are not public: of this host, private and shared networks, tests, multicast (RFC 6890). */
const PRIVATE_IPV4 =
  /^(?:0|10|127|22[4-9]|2[3-5]\d)\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^192\.(?:168|0\.[02]|88\.99)\.|^198\.(?:1[89]|51\.100)\.|^203\.0\.113\./u;

/** Public IPv6 addresses are of 2000::/3, but for Teredo, documents and 6to4 (RFC 6890). */
const PUBLIC_IPV6 = /^\[(?!2001:(?:0|db8)?:|2002:|3fff:)[23][0-9a-f]{3}:/u;

/**
 * Why a bare host, as of a carrier over SMPP, must not be connected to; null: it may. Here an address in numbers is taken,
 * for several carriers have no other, if it is a public one; locally, loopback and private ones too.
 */
export function refusedHost(config: Config, text: string): "form" | "not_public" | "own" | null {
  // The parser makes one form of all ways to write an address.
  const host = URL.parse(`https://${text}`)?.hostname.replace(/\.+$/u, "").toLowerCase();
  if (host === undefined || host === "") return "form";
  const isLocal = config.ENVIRONMENT === "local";
  if (isLocal && LOOPBACK.test(host)) return null;
  const isNumbers = /^[0-9.]+$/u.test(host);
  if (!isNumbers && !host.startsWith("[")) return refusedName(config, host);
  const isPublic = isNumbers ? !PRIVATE_IPV4.test(host) : PUBLIC_IPV6.test(host);
  return isPublic || isLocal ? null : "not_public";
}

/** Why a bare host must not be connected to, as the API says it. */
export const HOST_FAULTS = {
  form: "host must be a host name or an IP address.",
  not_public: "host must be a public host or address.",
  own: "host must not be one of this service's own addresses.",
} as const;
