import type { Context } from "hono";
import { raiseAlert } from "../alerts/alerts.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { OncePerHour } from "../log.ts";

// Where a request comes from, as the limits of sign-in see it.

/** Factor on the limits when local, where every browser, script and test shares one address. */
const LOCAL_FACTOR = 20;

/** A request's place in the network. Null: the platform does not tell it, and no limit counts by it. */
export interface Origin {
  /** What one customer of a provider holds: an IPv4 address, or the /64 of an IPv6 address. */
  network: string | null;
  /** What one site or one rented server holds: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
  site: string | null;
  /** The autonomous system, such as a mobile network or a hosting provider (RFC 1930). */
  asn: string | null;
  /** Factor on the limits. */
  factor: number;
}

const groups = (text: string) => (text === "" ? [] : text.split(":"));

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const all = tail === undefined ? left : [...left, ...zeros, ...right];
  return all.map((group) => Number.parseInt(group, 16).toString(16));
}

/** An IPv4 address in dots, also of an IPv6 address that contains one (RFC 4291 §2.5.5.2); null for any other. */
const ipv4Of = (address: string): string | null =>
  /^::ffff:([0-9.]+)$/iu.exec(address)?.[1] ?? (address.includes(":") ? null : address);

/** The network of an address: the address itself or, for IPv6, the /64 that one customer of a provider holds. */
export function networkOf(address: string): string {
  return ipv4Of(address) ?? groupsOf(address).slice(0, 4).join(":");
}

/** The site of an address: the /24 or, for IPv6, the /48 that one tunnel or one rented server holds (RFC 6177). */
export function siteOf(address: string): string {
  const dotted = ipv4Of(address);
  return dotted === null ? groupsOf(address).slice(0, 3).join(":") : dotted.split(".").slice(0, 3).join(".");
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "0:0:0:0"]);

const withoutAddress = new OncePerHour();

/**
 * The origin of a request. Cloudflare sets the address itself; a deployed service that gets none (the zone removes it)
 * logs that, and counts by phone, person and service. Locally nothing vouches for the header, and only the developer's
 * own programs set it.
 */
export function originOf(c: Context<AppEnv>, nowMs: number): Origin {
  const address = c.req.header("cf-connecting-ip") ?? "";
  const local = settings(c).ENVIRONMENT === "local";
  if (local && (address === "" || LOOPBACK.has(networkOf(address)))) {
    return { network: "loopback", site: null, asn: null, factor: LOCAL_FACTOR };
  }
  if (address === "" && withoutAddress.admit(nowMs)) {
    c.executionCtx.waitUntil(raiseAlert(c.env, { kind: "sign_in_address", values: {} }, nowMs));
  }
  const asn = c.req.raw.cf?.["asn"];
  return {
    network: address === "" ? null : networkOf(address),
    site: address === "" ? null : siteOf(address),
    asn: typeof asn === "number" ? String(asn) : null,
    factor: 1,
  };
}
