import type { Config } from "../config/settings.ts";
import type { ApiBase } from "../model/operations.ts";

// Base addresses (contract §2): which of the five apps a request is for. No other file reads hostnames.

export type BaseName = ApiBase | "console";

/** The base of a request: `all` is the local console host, which serves the paths of every base. */
interface Destination {
  base: BaseName | "all" | "none";
  /** The path below the base's prefix. */
  path: string;
}

interface Base {
  name: BaseName;
  hostname: string;
  /** Such as `/sms`, or empty. */
  prefix: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const tables = new WeakMap<Config, Base[]>();

function basesOf(config: Config): Base[] {
  let table = tables.get(config);
  if (!table) {
    const urls: Record<BaseName, string> = {
      sms: config.SMS_URL,
      tts: config.TTS_URL,
      voice: config.VOICE_URL,
      otp: config.OTP_URL,
      console: config.CONSOLE_URL,
    };
    table = (Object.keys(urls) as BaseName[]).map((name) => {
      const url = new URL(urls[name]);
      return { name, hostname: url.hostname, prefix: url.pathname.replace(/\/+$/u, "") };
    });
    // Longest prefix first: a base without a prefix gets only the paths that no other base matches.
    table.sort((one, other) => other.prefix.length - one.prefix.length);
    tables.set(config, table);
  }
  return table;
}

/** The base that a URL belongs to, by hostname and path prefix; ports do not matter. */
export function destinationOf(config: Config, url: URL): Destination {
  const { hostname, pathname } = url;
  const local = config.ENVIRONMENT === "local";
  for (const { name, hostname: host, prefix } of basesOf(config)) {
    const own = host === hostname || (local && name === "console" && LOOPBACK.has(hostname));
    if (!own || !(prefix === "" || pathname === prefix || pathname.startsWith(`${prefix}/`))) continue;
    return { base: local && name === "console" ? "all" : name, path: pathname.slice(prefix.length) || "/" };
  }
  return { base: "none", path: pathname };
}
