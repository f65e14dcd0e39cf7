import type { Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureWav } from "../../../src/recordings/wav.ts";
import { telephoneWav } from "../../../src/recordings/telephone.ts";
import { LOCALE_NAMES } from "../../../src/voices/voices.ts";
import { isInstalled, startEngine } from "../../../tts-local/engine.mjs";
import { startService } from "../../../harness/started.ts";

// The optional voice of a local service; left out where eSpeak NG is not installed.

const TEXT = "1 2 3";

describe.skipIf(!isInstalled())("the local engine", () => {
  let engine: { url: string; server: Server };
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine.server.close());

  const ask = (body: unknown) => fetch(engine.url, { method: "POST", body: JSON.stringify(body) });
  async function said(body: object) {
    const answer = await ask({ text: TEXT, locale: "en-IN", gender: "female", rate: 1, ...body });
    expect(answer.status).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  }

  it("speaks every language, accent and gender, each in its own way", async () => {
    for (const locale of LOCALE_NAMES) {
      const [woman, man] = [await said({ locale, gender: "female" }), await said({ locale, gender: "male" })];
      expect(measureWav(woman), locale).toMatchObject({ ok: true });
      expect(telephoneWav(man)?.length, locale).toBeGreaterThan(4_000);
      expect(woman).not.toEqual(man);
    }
  });

  it("speaks as fast as it is told", async () => {
    const [slow, usual, fast] = [await said({ rate: 0.5 }), await said({}), await said({ rate: 2 })];
    expect(slow.length).toBeGreaterThan(usual.length);
    expect(usual.length).toBeGreaterThan(fast.length);
  });

  it("takes a text for a text, whatever it begins with", async () => {
    expect(measureWav(await said({ text: "--version" }))).toMatchObject({ ok: true });
  });

  it("refuses what it will never understand", async () => {
    for (const wrong of [
      {},
      { text: TEXT, locale: "fr-FR" },
      { text: TEXT, locale: "hi-IN", rate: 9 },
      { text: "x".repeat(20_000) },
    ]) {
      expect((await ask(wrong)).status).toBe(400);
    }
    expect((await fetch(engine.url)).status).toBe(400);
  });
});

/** The page of the test inbox after a call with this text, as a service with these settings shows it. */
async function heard(body: object, set: Record<string, string>, look: (base: string, page: string) => Promise<void>) {
  const service = await startService({ set });
  try {
    const call = { callee: "9876543210", ...body };
    expect((await service.post(service.demo.apiKey, "/api/tts-call", call)).status).toBe(200);
    await service.call(`/v1/test/inbox/wait?to=${encodeURIComponent("+919876543210")}&timeout=30`);
    const base = `http://127.0.0.1:${service.port}`;
    await look(base, await (await fetch(`${base}/inbox`)).text());
  } finally {
    await service.stop();
  }
}

describe.skipIf(!isInstalled())("npm start", () => {
  it("finds the engine, and a call can be heard in the test inbox", () =>
    heard({ text: "नमस्ते", language: "HI", speakingRate: 0.8 }, {}, async (base, page) => {
      expect(page).toContain("नमस्ते");
      const [, src = ""] = /<audio[^>]* src="([^"]+)"/u.exec(page) ?? [];
      const audio = await fetch(base + src);
      expect([audio.status, audio.headers.get("content-type")]).toEqual([200, "audio/wav"]);
      const measured = measureWav(new Uint8Array(await audio.arrayBuffer()));
      expect(measured.ok && measured.durationMs).toBeGreaterThan(300);
    }));

  it("leaves the texts to be read where the settings say so", () =>
    heard({ text: "Hello" }, { TTS: "none" }, async (_, page) => {
      expect(page).toContain("No voice is installed here");
      expect(page).not.toContain("<audio");
    }));
});
