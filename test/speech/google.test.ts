import { afterEach, describe, expect, it, vi } from "vitest";
import { google } from "../../src/speech/google.ts";
import { LOCALE_NAMES } from "../../src/voices/voices.ts";
import type { Speech } from "../../src/voices/voices.ts";
import { GOOGLE_KEY, GOOGLE_TOKEN, googleAnswers, provider, SAID } from "../world/speech.ts";
import type { Answers } from "../world/speech.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SPEECH: Speech = { locale: "pa-IN", gender: "male", rate: 0.8 };

const say = (credentials: string, speech = SPEECH, text = "ਸਤ ਸ੍ਰੀ ਅਕਾਲ") => {
  const { voice, speak } = google(credentials);
  return speak({ text, speech, voice: voice(speech) ?? "", timeoutMs: 5_000 });
};

describe("Google's voices", () => {
  it("are asked for as its documents say", async () => {
    const asked = provider(googleAnswers);
    expect(await say(GOOGLE_KEY)).toEqual({ ok: true, audio: SAID });
    expect(asked).toHaveLength(1);
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      input: { text: "ਸਤ ਸ੍ਰੀ ਅਕਾਲ" },
      voice: { languageCode: "pa-IN", name: "pa-IN-Wavenet-B" },
      audioConfig: { audioEncoding: "LINEAR16", sampleRateHertz: 8_000, speakingRate: 0.8 },
    });
  });

  it("speak every language, accent, gender and rate", async () => {
    provider(googleAnswers);
    for (const locale of LOCALE_NAMES) {
      for (const gender of ["male", "female"] as const) {
        for (const rate of [0.5, 1.2, 2]) {
          expect(await say(GOOGLE_KEY, { locale, gender, rate })).toMatchObject({ ok: true });
        }
      }
    }
  });

  it.each<[string, string, Answers, string, "later" | "never"]>([
    ["a wrong key, which is a 400 too", "AIza-another-key", googleAnswers, "speech_api_key_invalid", "later"],
    ["a used-up quota", GOOGLE_KEY, () => new Response("", { status: 429 }), "speech_http_429", "later"],
    ["a key without this API", GOOGLE_KEY, () => new Response("{}", { status: 403 }), "speech_http_403", "later"],
    ["a fault of its own", GOOGLE_KEY, () => new Response("oops", { status: 503 }), "speech_http_503", "later"],
    ["a redirect", GOOGLE_KEY, () => new Response("", { status: 307 }), "speech_http_307", "later"],
    [
      "a text that it refuses",
      GOOGLE_KEY,
      () => Response.json({ error: {} }, { status: 400 }),
      "speech_http_400",
      "never",
    ],
    ["an answer without sound", GOOGLE_KEY, () => Response.json({}), "speech_no_sound", "later"],
    ["sound that is no Base64", GOOGLE_KEY, () => Response.json({ audioContent: "_?" }), "speech_no_sound", "later"],
  ])("%s", async (_, key, answers, code, again) => {
    provider(answers);
    expect(await say(key)).toEqual({ ok: false, again, code });
  });

  it("that cannot be reached, or hang, are tried again", async () => {
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Network connection lost."));
    expect(await say(GOOGLE_KEY)).toEqual({ ok: false, again: "later", code: "speech_connection_broken" });
    vi.spyOn(globalThis, "fetch").mockRejectedValue(new DOMException("too late", "TimeoutError"));
    expect(await say(GOOGLE_KEY)).toEqual({ ok: false, again: "later", code: "speech_timeout" });
  });
});

/** A service account's key as Google makes its files, and what verifies its signatures. */
async function serviceAccount(name: string) {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const pair = (await crypto.subtle.generateKey(
    { ...algorithm, modulusLength: 2_048, publicExponent: Uint8Array.of(1, 0, 1) },
    true,
    ["sign", "verify"],
  )) as CryptoKeyPair;
  const pkcs8 = (await crypto.subtle.exportKey("pkcs8", pair.privateKey)) as ArrayBuffer;
  const lines = Buffer.from(pkcs8).toString("base64").replaceAll(/.{64}/gu, "$&\n");
  const file = {
    type: "service_account",
    private_key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    client_email: `${name}@dastak.iam.gserviceaccount.com`,
  };
  const verifies = (jwt: string) => {
    const [head = "", claims = "", signature = ""] = jwt.split(".");
    const signed = Buffer.from(`${head}.${claims}`);
    return crypto.subtle.verify(algorithm, pair.publicKey, Buffer.from(signature, "base64url"), signed);
  };
  return { file, verifies };
}

describe("a service account", () => {
  it("asks for a token with a signed assertion, and uses it again", async () => {
    const { file, verifies } = await serviceAccount("speech");
    const asked = provider((one) =>
      one.url === "https://oauth2.googleapis.com/token"
        ? Response.json({ access_token: GOOGLE_TOKEN, expires_in: 3_599, token_type: "Bearer" })
        : googleAnswers(one),
    );
    const credentials = JSON.stringify(file);
    expect(await say(credentials)).toMatchObject({ ok: true });
    expect(await say(credentials)).toMatchObject({ ok: true });
    expect(asked.map(({ url }) => new URL(url).host)).toEqual([
      "oauth2.googleapis.com",
      "texttospeech.googleapis.com",
      "texttospeech.googleapis.com",
    ]);
    const form = new URLSearchParams(asked[0]?.body);
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const jwt = form.get("assertion") ?? "";
    expect(await verifies(jwt)).toBe(true);
    const [head, claims] = jwt.split(".").map((part) => Buffer.from(part, "base64url").toString());
    expect(JSON.parse(head ?? "")).toEqual({ alg: "RS256", typ: "JWT" });
    const { iat, exp, ...said } = JSON.parse(claims ?? "") as { iat: number; exp: number };
    expect(said).toEqual({
      iss: file.client_email,
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: "https://oauth2.googleapis.com/token",
    });
    expect(exp - iat).toBe(3_600);
  });

  it("whose token is refused asks for another one the next time", async () => {
    const { file } = await serviceAccount("revoked");
    let token = "ya29.revoked";
    const asked = provider((one) =>
      one.url.includes("oauth2") ? Response.json({ access_token: token, expires_in: 3_599 }) : googleAnswers(one),
    );
    expect(await say(JSON.stringify(file))).toMatchObject({ ok: false, code: "speech_http_401", again: "later" });
    token = GOOGLE_TOKEN;
    expect(await say(JSON.stringify(file))).toMatchObject({ ok: true });
    expect(asked.filter(({ url }) => url.includes("oauth2"))).toHaveLength(2);
  });

  it("that is disabled, or whose key cannot be read, is not about the text", async () => {
    const { file } = await serviceAccount("disabled");
    provider(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
    expect(await say(JSON.stringify(file))).toEqual({ ok: false, again: "later", code: "speech_token_http_400" });
    const broken = JSON.stringify({ ...file, client_email: "b@x", private_key: "-----BEGIN-----\nAAAA" });
    expect(await say(broken)).toEqual({ ok: false, again: "later", code: "speech_private_key_unreadable" });
  });
});
