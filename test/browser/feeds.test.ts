import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";

// The browser's end of the live feeds, on a clock of the test's own: how often a page connects again, and when it stops.

const TEN_MINUTES_MS = 600_000;
const STEP_MS = 5_000;
/** With gaps that double up to 30 s, of which half is random, ten minutes have room for no more. */
const TRIES_MAX = 50;

/** Hides the page, or shows it again, as changing tabs does. */
const setHidden = (hidden: boolean) => `
  Object.defineProperty(document, "hidden", { configurable: true, get: () => ${hidden} });
  document.dispatchEvent(new Event("visibilitychange"));
`;

/** A page whose feed is refused at once, however often it connects. */
async function openBroken(base: string, at: string, feed: RegExp): Promise<{ window: Window; tries: () => number }> {
  const window = await openWindow(base);
  let tries = 0;
  await window.page.clock.install();
  await window.page.routeWebSocket(feed, (socket) => {
    tries += 1;
    void socket.close({ code: 4500 });
  });
  if (at === "/") await window.signInAsDemo();
  else await window.goto(at);
  await expect.poll(() => tries).toBeGreaterThan(0);
  return { window, tries: () => tries };
}

/** Lets ten minutes pass on the page's clock; between the steps its requests come back. */
async function wait({ page }: Window): Promise<void> {
  for (let passed = 0; passed < TEN_MINUTES_MS; passed += STEP_MS) {
    await page.clock.runFor(STEP_MS);
    await page.evaluate("fetch('/healthz').then((reply) => reply.text())");
  }
}

describeInBrowser("a live feed that is lost", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it.each([
    ["the overview", "/", /\/live\?/u],
    ["the test inbox", "/inbox", /\/inbox\/live\?/u],
  ])(
    "%s connects again with growing gaps, never while it is hidden, and at once when it is seen",
    async (_, at, feed) => {
      const { window, tries } = await openBroken(base, at, feed);
      await wait(window);
      const whileSeen = tries();
      expect(whileSeen).toBeGreaterThan(5);
      expect(whileSeen).toBeLessThan(TRIES_MAX);

      await window.page.evaluate(setHidden(true));
      await wait(window);
      const whileHidden = tries();
      // One that was under way when the page was hidden.
      expect(whileHidden - whileSeen).toBeLessThanOrEqual(1);

      await window.page.evaluate(setHidden(false));
      await expect.poll(tries).toBeGreaterThan(whileHidden);
    },
  );

  it("stops where the session ended", async () => {
    const { window, tries } = await openBroken(base, "/", /\/live\?/u);
    await window.context.clearCookies();
    await wait(window);
    const tried = tries();
    await wait(window);
    expect(tries()).toBe(tried);
  });
});
