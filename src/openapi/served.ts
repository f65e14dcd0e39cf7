import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import type { Config } from "../config/settings.ts";
import type { BaseName } from "../http/bases.ts";
import built from "./built.json";
import { PLACEHOLDERS } from "./placeholders.ts";
import type { OpenApi } from "./types.ts";

// The documents as a deployment serves them: with its own addresses. They are packed until they are asked for, so that they
// are small in the bundle, and no Worker parses them when it starts.

/** `api` is for an account's programs. */
export type DocumentName = "api" | "operator";

interface Served {
  text: string;
  /** The entity tag, in its quotes (RFC 9110 §8.8.3). */
  etag: string;
}

/** The documents with placeholders for the addresses, as scripts/openapi.mjs packed them. */
function unpack(): Record<DocumentName, string> {
  const [api = "", operator = ""] = brotliDecompressSync(Buffer.from(built.packed, "base64")).toString().split("\n");
  return { api, operator };
}

let unpacked: Record<DocumentName, string> | undefined;

const served = new WeakMap<Config, Partial<Record<DocumentName, Served>>>();

const parsed = new WeakMap<Served, OpenApi>();

/** A document with the addresses of this deployment, as JSON. */
export function servedDocument(config: Config, name: DocumentName): Served {
  const known = served.get(config) ?? {};
  served.set(config, known);
  return (known[name] ??= make(config, name));
}

/** The same, parsed; the caller changes nothing in it. */
export function openApi(config: Config, name: DocumentName): OpenApi {
  const one = servedDocument(config, name);
  const document = parsed.get(one) ?? (JSON.parse(one.text) as OpenApi);
  parsed.set(one, document);
  return document;
}

function make(config: Config, name: DocumentName): Served {
  const addresses: Record<BaseName, string> = {
    sms: config.SMS_URL,
    tts: config.TTS_URL,
    voice: config.VOICE_URL,
    otp: config.OTP_URL,
    console: config.CONSOLE_URL,
  };
  const bases = Object.keys(addresses) as BaseName[];
  const text = bases.reduce(
    (so, base) => so.replaceAll(`"${PLACEHOLDERS[base]}"`, JSON.stringify(addresses[base])),
    (unpacked ??= unpack())[name],
  );
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
