import { createHash } from "node:crypto";
import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { asset } from "../http/assets.ts";
import type { BaseName } from "../http/bases.ts";
import built from "./built.json";
import { PLACEHOLDERS } from "./placeholders.ts";
import type { OpenApi } from "./types.ts";

// The documents as a deployment serves them: with its own addresses. They are static files, read when they are asked for.

/** `api` is for an account's programs. */
export type DocumentName = "api" | "operator";

interface Served {
  text: string;
  /** The entity tag, in its quotes (RFC 9110 §8.8.3). */
  etag: string;
}

const served = new WeakMap<Config, Partial<Record<DocumentName, Served>>>();

const parsed = new WeakMap<Served, OpenApi>();

/** A document with the addresses of this deployment, as JSON; ends the request with 503 where it cannot be read. */
export async function servedDocument(env: Env, name: DocumentName): Promise<Served> {
  const config = configOf(env);
  const known = served.get(config) ?? {};
  served.set(config, known);
  return (known[name] ??= make(config, new TextDecoder().decode(await asset(env, built[name]))));
}

/** The same, parsed; the caller changes nothing in it. */
export async function openApi(env: Env, name: DocumentName): Promise<OpenApi> {
  const one = await servedDocument(env, name);
  const document = parsed.get(one) ?? (JSON.parse(one.text) as OpenApi);
  parsed.set(one, document);
  return document;
}

/** `template` has placeholders for the addresses. */
function make(config: Config, template: string): Served {
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
    template,
  );
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
