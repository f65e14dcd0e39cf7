import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { LANGUAGES } from "../../src/samples/sample.ts";
import type { Language } from "../../src/samples/sample.ts";
import { wav } from "../world/recordings.ts";
import { isInstalled, runSample } from "./interpreters.ts";

// Every sample that a page of the documentation prints is run as it stands, by the real interpreter: as a signed-in
// reader sees it, with the key in it, and as a stranger does, with the key in the environment.

interface Printed {
  page: string;
  language: Language;
  code: string;
}

const decoded = (html: string) =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const SAMPLE = /<label for="sample-\w+-(\w+)">[^<]*<\/label><pre[^>]*>(.*?)<\/pre>/gsu;

/** Blocks with a command in a guide's own text. */
const COMMAND = /<div class="code">.*?<pre[^>]*>(curl .*?)<\/pre>/gsu;

/** The samples of a page. */
function samplesIn(page: string, html: string): Printed[] {
  const samples = [...html.matchAll(SAMPLE)].map(([, language = "", code = ""]) => ({
    language: language as Language,
    code,
  }));
  const commands = [...html.matchAll(COMMAND)].map(([, code = ""]) => ({ language: "curl" as const, code }));
  return [...samples, ...commands].map(({ language, code }) => ({ page, language, code: decoded(code) }));
}

/** Refusals of a request that an earlier sample of the same page already did. */
const DONE_BEFORE: ReadonlySet<string> = new Set(["not_found", "too_late", "too_many"]);

describe("the samples of the documentation", () => {
  let service: Service;
  const printed: Printed[] = [];
  /** What stands for the ids in examples. */
  const real: Record<string, string> = {};
  let testKey: string;

  async function pagesFor(cookie: string): Promise<void> {
    const base = `http://localhost:${service.port}`;
    const get = async (at: string) => (await fetch(base + at, { headers: { accept: "text/html", cookie } })).text();
    const contents = await get("/docs");
    const paths = [...new Set([...contents.matchAll(/href="(\/docs(?:\/[\w/-]+)?)"/gu)].map(([, at = ""]) => at))];
    expect(paths.length).toBeGreaterThan(12);
    for (const at of paths) printed.push(...samplesIn(at, await get(at)));
  }

  beforeAll(async () => {
    service = await startService();
    const { testKey: key } = service.demo;
    testKey = key;
    const base = `http://localhost:${service.port}`;
    const signedIn = await fetch(`${base}/sign-in/demo`, {
      method: "POST",
      headers: { origin: base },
      redirect: "manual",
      body: new URLSearchParams(),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((set) => set.split(";")[0])
      .join("; ");
    await pagesFor(cookie);
    expect(printed.some(({ code }) => code.includes(testKey))).toBe(true);
    await pagesFor("");
    const upload = { fileName: "offer.wav", base64Data: Buffer.from(wav({ seconds: 2 })).toString("base64") };
    const { body } = await service.post(testKey, "/api/upload-voice", upload);
    real["file"] = (body as unknown as { fileId: string }).fileId;
    const sent = await service.post(testKey, "/send-sms", { phone: "9876543210", message: "Hello" });
    real["msg"] = String(sent.headers["x-message-id"]);
    real["req"] = String(sent.headers["x-request-id"]);
  });
  afterAll(() => service?.kill9());

  /** The program with the ids of things that exist; its reader would put in ids of their own. */
  const withIds = (code: string) =>
    code.replaceAll(/\b(file|msg|req)_(?=[A-Za-z]*[0-9])[0-9A-Za-z]+/gu, (id, kind: string) => real[kind] ?? id);

  /** The codes of the replies to one page's samples in one language, in order; null for a success. */
  async function outcomes(page: string, language: Language): Promise<(string | null)[]> {
    const codes: (string | null)[] = [];
    for (const { code } of printed.filter((one) => one.page === page && one.language === language)) {
      const output = await runSample(language, withIds(code), {
        env: { DASTAK_KEY: testKey },
        files: { "offer.wav": wav({ seconds: 2 }) },
      });
      if (!output.startsWith("{")) {
        expect(output, code).not.toBe("");
        codes.push(null);
        continue;
      }
      const reply = JSON.parse(output) as { success: boolean; code?: string };
      expect(reply.success || DONE_BEFORE.has(reply.code ?? ""), `${code}\n${output}`).toBe(true);
      codes.push(reply.success ? null : (reply.code ?? ""));
    }
    return codes;
  }

  for (const [language, { title }] of Object.entries(LANGUAGES) as [Language, { title: string }][]) {
    it.skipIf(!isInstalled(language))(`in ${title} run as they stand`, async () => {
      const pages = [...new Set(printed.filter((one) => one.language === language).map(({ page }) => page))];
      expect(pages.length).toBeGreaterThanOrEqual(6);
      for (const page of pages) {
        const codes = await outcomes(page, language);
        // The first language does the work; what it does may be refused from then on.
        if (language === "curl") expect(codes[0], page).toBeNull();
      }
    });
  }

  it("send the same request in every language: one debit each", async () => {
    const { body } = await service.call("/v1/test/inbox?limit=500", {
      headers: { authorization: `Bearer ${testKey}` },
    });
    const { data } = body as unknown as { data: { request_id: string }[] };
    const billed = printed.filter(({ page, language }) => page.startsWith("/docs/api/") && language === "ruby");
    const pages = new Set(billed.map(({ page }) => page));
    // And the message that is sent before the samples.
    expect(new Set(data.map((message) => message.request_id)).size).toBe(pages.size + 1);
  });

  it("would fail on a sample that is wrong", async () => {
    const sample = printed.find(({ page, language }) => page === "/docs/api/sendSms" && language === "node");
    const output = await runSample("node", (sample?.code ?? "").replace("phone", "fone"), {
      env: { DASTAK_KEY: testKey },
    });
    // The key was used for another body.
    expect(JSON.parse(output)).toMatchObject({ success: false, code: "invalid_request" });
  });
});
