import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";

// The browser's side of the live feeds, with a controlled clock: when a page reconnects, and when it stops.

const TEN_MINUTES_MS = 600_000;
const STEP_MS = 5_000;
/** Gaps double up to 30 s, half of each is random: more attempts do not fit into ten minutes. */
const TRIES_MAX = 50;

/** Hides the page, or shows it again, as changing tabs does. */
const setHidden = (hidden: boolean) => `
  Object.defineProperty(document, "hidden", { configurable: true, get: () => ${hidden} });
  document.dispatchEvent(new Event("visibilitychange"));
`;

/** A page whose feed is closed at once at every connection. */
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

/** Advances the page's clock by ten minutes, in steps between which its requests complete. */
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
    "%s reconnects with growing gaps, never while it is hidden, and at once when it is visible again",
    async (_, at, feed) => {
      const { window, tries } = await openBroken(base, at, feed);
      await wait(window);
      const whileSeen = tries();
      expect(whileSeen).toBeGreaterThan(5);
      expect(whileSeen).toBeLessThan(TRIES_MAX);

      await window.page.evaluate(setHidden(true));
      await wait(window);
      const whileHidden = tries();
      // One attempt may have begun before the page was hidden.
      expect(whileHidden - whileSeen).toBeLessThanOrEqual(1);

      await window.page.evaluate(setHidden(false));
      await expect.poll(tries).toBeGreaterThan(whileHidden);
    },
  );

  it("stops reconnecting when the session has ended", async () => {
    const { window, tries } = await openBroken(base, "/", /\/live\?/u);
    await window.context.clearCookies();
    await wait(window);
    const tried = tries();
    await wait(window);
    expect(tries()).toBe(tried);
  });
});
