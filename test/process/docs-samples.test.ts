import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { verifyKey } from "../../src/crypto/api-key.ts";
import { LOCAL_VARIABLES } from "../../src/local/variables.ts";
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

/** What an operator's portal exports. */
const TEMPLATES = "Template ID,Content,Header\n1107160000000000017,Your order {#var#} is on its way,ACMEIN\n";

/** The program with the ids of things that exist; its reader would put in ids of their own. */
const withIds = (code: string, ids: Record<string, string>) =>
  code.replaceAll(/\b(file|msg|req|wh)_(?=[A-Za-z]*[0-9])[0-9A-Za-z]+/gu, (id, kind: string) => ids[kind] ?? id);

/** Refusals of a request that an earlier sample of the same page already did. */
const DONE_BEFORE: ReadonlySet<string> = new Set(["not_found", "too_late", "too_many"]);

describe("the samples of the documentation", () => {
  let service: Service;
  const printed: Printed[] = [];
  /** What stands for the ids in examples. */
  let real: Record<string, string> = {};
  /** The balance after each language, without what was sent beside its samples. */
  const balances = new Map<Language, number>();
  let sentBeside = 0;
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
    // More requests a minute than the samples are.
    const { accountId } = verifyKey(LOCAL_VARIABLES.KEY_SECRET, key) ?? {};
    const { status } = await service.operator("PATCH", `/accounts/${accountId}?mode=test`, { plan: "premium" });
    expect(status).toBe(200);
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
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const wh = await addWebhook();
    real = { file: await upload(), msg: await send(), req: lastRequest, wh };
    // A replay is of what the webhook got.
    await vi.waitUntil(async () => (await ackedBy(wh)) > 0, { timeout: 20_000, interval: 200 });
  });
  afterAll(async () => {
    receiver.close();
    await service?.kill9();
  });

  /** Takes all that is posted to it. */
  const receiver = http.createServer((request, reply) => {
    request.resume();
    reply.end();
  });

  async function addWebhook(): Promise<string> {
    const { port } = receiver.address() as AddressInfo;
    const { body } = await service.post(testKey, "/v1/webhooks", { url: `http://127.0.0.1:${port}/` });
    return (body as unknown as { webhook: { webhook_id: string } }).webhook.webhook_id;
  }

  /** A webhook that may be deleted: one that a sample made. */
  async function otherWebhook(): Promise<string> {
    const { body } = await service.call("/v1/webhooks", { headers: { authorization: `Bearer ${testKey}` } });
    const { data } = body as unknown as { data: { webhook_id: string }[] };
    return data.find(({ webhook_id: id }) => id !== real["wh"])?.webhook_id ?? addWebhook();
  }

  async function ackedBy(id: string): Promise<number> {
    const asked = { headers: { authorization: `Bearer ${testKey}` } };
    const { body } = await service.call(`/v1/webhooks/${id}`, asked);
    return (body as unknown as { webhook: { acked: number } }).webhook.acked;
  }

  async function upload(): Promise<string> {
    const base64Data = Buffer.from(wav({ seconds: 2 })).toString("base64");
    const { body } = await service.post(testKey, "/api/upload-voice", { fileName: "offer.wav", base64Data });
    return (body as unknown as { fileId: string }).fileId;
  }

  let lastRequest = "";

  /** Sends a message, which is then in the test inbox; returns its id. */
  async function send(): Promise<string> {
    const since = Date.now();
    const { headers } = await service.post(testKey, "/send-sms", { phone: "9876543210", message: "Hello" });
    const id = String(headers["x-message-id"]);
    lastRequest = String(headers["x-request-id"]);
    sentBeside += 1;
    const asked = { headers: { authorization: `Bearer ${testKey}` } };
    const { body } = await service.call(`/v1/test/inbox/wait?to=9876543210&timeout=30&since=${since}`, asked);
    expect(body).toMatchObject({ message: { id } });
    return id;
  }

  /** Schedules a message, which a sample takes back: then it costs nothing. */
  async function schedule(): Promise<{ msg: string; req: string }> {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { headers } = await service.post(testKey, "/send-sms", { phone: "9876543210", message: "Later", sendAt });
    return { msg: String(headers["x-message-id"]), req: String(headers["x-request-id"]) };
  }

  /** Makes what a sample reads or deletes: its reader would have it. */
  async function idsFor(code: string): Promise<Record<string, string>> {
    if (/inbox\/(?:wait|msg_)/u.test(code)) return { ...real, msg: await send() };
    if (/DELETE/u.test(code) && /\/v1\/(?:messages|requests)\//u.test(code)) return { ...real, ...(await schedule()) };
    if (/DELETE/u.test(code) && code.includes("/v1/webhooks/")) return { ...real, wh: await otherWebhook() };
    return code.includes("DELETE") && code.includes("/recordings/") ? { ...real, file: await upload() } : real;
  }

  /** The codes of the replies to one page's samples in one language, in order; null for a success. */
  async function outcomes(page: string, language: Language): Promise<(string | null)[]> {
    const codes: (string | null)[] = [];
    for (const { code } of printed.filter((one) => one.page === page && one.language === language)) {
      const output = await runSample(language, withIds(code, await idsFor(code)), {
        env: { DASTAK_KEY: testKey },
        files: { "offer.wav": wav({ seconds: 2 }), "templates.csv": new TextEncoder().encode(TEMPLATES) },
      });
      if (!output.startsWith("{")) {
        expect(output, code).not.toBe("");
        codes.push(null);
        continue;
      }
      const reply = JSON.parse(output) as { success?: boolean; sid?: string; result?: object; code?: string };
      // In Twilio's form a success has an id of its own, and in JSON-RPC a result.
      const isDone = reply.success ?? (reply.result !== undefined || /^SM[0-9a-f]{32}$/u.test(reply.sid ?? ""));
      expect(isDone || DONE_BEFORE.has(reply.code ?? ""), `${code}\n${output}`).toBe(true);
      codes.push(isDone ? null : (reply.code ?? ""));
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
      const { body } = await service.call("/account-balance", { headers: { authorization: `Bearer ${testKey}` } });
      balances.set(language, Number(body.balance) + sentBeside);
    });
  }

  it("send the same request in every language: what curl did is not charged again", () => {
    expect(balances.get("curl")).toBeLessThan(100_000);
    expect(new Set(balances.values()).size).toBe(1);
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
