import * as z from "zod";
import type { Provider, Spoken } from "./provider.ts";
import { byStatus, later, postJson, soundOf, thrown } from "./provider.ts";
import { readText } from "../http/streams.ts";
import { googleVoice } from "../voices/voices.ts";

// Google Cloud Text-to-Speech, version 1 (cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize), with an
// API key or a service account (RFC 7523; developers.google.com/identity/protocols/oauth2/service-account).

const SYNTHESIZE = "https://texttospeech.googleapis.com/v1/text:synthesize";
const TOKENS = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_BYTES_MAX = 16_384;
/** Google's tokens are valid for an hour; one is used up to five minutes before its end. */
const ASSERTED_SEC = 3_600;
const MARGIN_MS = 300_000;

const answered = z.object({ audioContent: z.string().min(1) });
const refused = z.object({ error: z.object({ details: z.array(z.object({ reason: z.string().optional() })) }) });
const account = z.object({ client_email: z.string(), private_key: z.string() });
const granted = z.object({ access_token: z.string().min(1), expires_in: z.number() });

type Account = z.output<typeof account>;

/** The service account in these credentials; null where they are an API key. */
function accountIn(credentials: string): Account | null {
  try {
    return account.parse(JSON.parse(credentials));
  } catch {
    return null;
  }
}

const base64url = (value: string | ArrayBuffer): string =>
  (typeof value === "string" ? Buffer.from(value) : Buffer.from(value)).toString("base64url");

/** A JWT by which a service account asks for a token. Throws where its key cannot be read. */
async function assertionOf({ client_email, private_key }: Account, nowMs: number): Promise<string> {
  const pkcs8 = Buffer.from(private_key.replaceAll(/-----[^-]+-----|\s/gu, ""), "base64");
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  const iat = Math.floor(nowMs / 1000);
  const claims = { iss: client_email, scope: SCOPE, aud: TOKENS, iat, exp: iat + ASSERTED_SEC };
  const head = `${base64url(JSON.stringify({ alg: "RS256", typ: "JWT" }))}.${base64url(JSON.stringify(claims))}`;
  return `${head}.${base64url(await crypto.subtle.sign(algorithm, key, Buffer.from(head)))}`;
}

interface Token {
  value: string;
  untilMs: number;
}

/** The token that this isolate has for a service account. */
const tokens = new Map<string, Token>();

/** A token of a service account, or why there is none. */
async function tokenOf(given: Account, timeoutMs: number): Promise<{ value: string } | Spoken> {
  const nowMs = Date.now();
  const known = tokens.get(given.client_email);
  if (known && known.untilMs > nowMs) return known;
  try {
    const assertion = await assertionOf(given, nowMs).catch(() => null);
    if (assertion === null) return later("private_key_unreadable");
    const answer = await fetch(TOKENS, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readText(answer, TOKEN_BYTES_MAX);
    if (answer.status !== 200) return later(`token_http_${answer.status}`);
    const { access_token: value, expires_in } = granted.parse(JSON.parse(text ?? ""));
    tokens.set(given.client_email, { value, untilMs: nowMs + expires_in * 1000 - MARGIN_MS });
    return { value };
  } catch (problem) {
    return problem instanceof z.ZodError || problem instanceof SyntaxError ? later("no_token") : thrown(problem);
  }
}

/** What an answer says. A wrong API key is a 400 as wrong texts are: only its reason tells them apart. */
function read(status: number, value: unknown): Spoken {
  if (status !== 200) {
    const details = refused.safeParse(value).data?.error.details ?? [];
    return details.some(({ reason }) => reason === "API_KEY_INVALID") ? later("api_key_invalid") : byStatus(status);
  }
  const { data } = answered.safeParse(value);
  return data ? soundOf(data.audioContent) : later("no_sound");
}

/** Google's voices, with an API key or the JSON of a service account's key. */
export function google(credentials: string): Provider {
  const given = accountIn(credentials);
  return {
    name: "google",
    voice: googleVoice,
    async speak({ text, speech, voice, timeoutMs }) {
      const begunMs = Date.now();
      const token = given && (await tokenOf(given, timeoutMs));
      if (token && !("value" in token)) return token;
      const headers: Record<string, string> = token
        ? { authorization: `Bearer ${token.value}` }
        : { "x-goog-api-key": credentials };
      const body = {
        input: { text },
        voice: { languageCode: speech.locale, name: voice },
        audioConfig: { audioEncoding: "LINEAR16", sampleRateHertz: 8_000, speakingRate: speech.rate },
      };
      const leftMs = Math.max(1, timeoutMs - (Date.now() - begunMs));
      const spoken = await postJson(SYNTHESIZE, headers, body, leftMs, read);
      // A token that was taken back is not used again.
      if (given && !spoken.ok && spoken.code === "speech_http_401") tokens.delete(given.client_email);
      return spoken;
    },
  };
}
