import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";

// What a first visit transfers, fonts included, and which fonts draw the pages.

/** Limits over the wire, compressed: a page with everything it loads, and its script. */
const FIRST_PAGE_BYTES_MAX = 80_000;
const SCRIPT_BYTES_MAX = 12_000;

/** The bytes of each file that this window has received since then, by path. */
function weigh(window: Window): Map<string, number> {
  const weights = new Map<string, number>();
  window.page.on("response", async (response) => {
    const body = await response.body().catch(() => Buffer.alloc(0));
    // Fonts are compressed already; everything else is compressed in a deployment.
    const packed = response.url().endsWith(".woff2") ? body.length : gzipSync(body).length;
    weights.set(new URL(response.url()).pathname, packed);
  });
  return weights;
}

const sum = (weights: Map<string, number>) => [...weights.values()].reduce((total, bytes) => total + bytes, 0);

/** The names of the loaded Devanagari fonts, without their hashes. */
const fontsIn = (weights: Map<string, number>) =>
  [...weights.keys()]
    .flatMap((name) => /(regular|bold|label|devanagari)-[^/]*\.woff2$/u.exec(name)?.[1] ?? [])
    .toSorted();

describeInBrowser("a first visit", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
    await service.post(service.demo.apiKey, "/send-sms", { phone: "9876543210", message: "Hello" });
  });
  afterAll(() => service?.kill9());

  const visitIn = async (lang: string) => {
    const window = await openWindow(base);
    await window.context.addCookies([{ name: "lang", value: lang, url: base }]);
    return window;
  };

  /** A window of the signed-in demo customer, in another context than the sign-in: nothing is cached. */
  async function signedIn(lang: string): Promise<Window> {
    const first = await visitIn(lang);
    await first.signInAsDemo();
    const cookies = await first.context.cookies();
    await first.context.close();
    const window = await openWindow(base);
    await window.context.addCookies(cookies);
    return window;
  }

  for (const lang of ["en", "hi"]) {
    it(`to the sign-in or the overview weighs less than 80 kB in ${lang}, and the script less than 12 kB`, async () => {
      for (const at of ["/sign-in", "/"]) {
        const window = at === "/" ? await signedIn(lang) : await visitIn(lang);
        const weights = weigh(window);
        await window.page.goto(base + at, { waitUntil: "networkidle" });
        expect(sum(weights), `${at} ${JSON.stringify([...weights])}`).toBeLessThan(FIRST_PAGE_BYTES_MAX);
        const script = [...weights].find(([name]) => name.endsWith(".js"))?.[1] ?? Infinity;
        expect(script).toBeLessThan(SCRIPT_BYTES_MAX);
        expect(fontsIn(weights)).toEqual(lang === "hi" ? ["bold", "regular"] : ["label"]);
        await window.context.close();
      }
    });
  }

  it("in English loads one word of Devanagari, on the settings too, and the whole font only for people's texts", async () => {
    const window = await signedIn("en");
    const weights = weigh(window);
    await window.page.goto(`${base}/settings`, { waitUntil: "networkidle" });
    expect(fontsIn(weights)).toEqual(["label"]);
    await service.post(service.demo.apiKey, "/send-sms", { phone: "9876543210", message: "राष्ट्र की श्रृंखला" });
    await window.page.goto(`${base}/`, { waitUntil: "networkidle" });
    expect(fontsIn(weights)).toEqual(["devanagari", "label"]);
    await window.context.close();
  });

  it("in Hindi draws headings with a bold font, not with a smeared one", async () => {
    const window = await signedIn("hi");
    await window.page.goto(`${base}/`, { waitUntil: "networkidle" });
    const faces = await window.page.evaluate<{ weight: string; status: string }[]>(
      "[...document.fonts].filter((f) => f.family === 'Deva').map(({ weight, status }) => ({ weight, status }))",
    );
    expect(faces).toEqual([
      { weight: "100 549", status: "loaded" },
      { weight: "550 900", status: "loaded" },
    ]);
    const heading = await window.page.evaluate<string>("getComputedStyle(document.querySelector('h2')).fontWeight");
    expect(Number(heading)).toBeGreaterThanOrEqual(550);
    await window.context.close();
  });
});
