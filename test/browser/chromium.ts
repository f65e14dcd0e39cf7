import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { ROOT } from "../../harness/program.ts";

// A real browser for the tests in this folder: the installed Chromium, with no access beyond the local machine.

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of Chromium, or undefined; `CHROMIUM` overrides it. */
const executablePath = [process.env["CHROMIUM"] ?? "", ...PLACES].find((place) => place !== "" && existsSync(place));

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Generous, because a busy machine is slow; no test asserts how long a step takes. */
const STEP_MS_MAX = 15_000;

const SHOTS = path.join(ROOT, ".wrangler", "shots");

let browser: Browser | null = null;

/** A group of browser tests: skipped without Chromium, except in CI (scripts/test.mjs prints how to install it). */
export function describeInBrowser(name: string, tests: () => void): void {
  describe.skipIf(executablePath === undefined && process.env["CI"] === undefined)(name, () => {
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error("There is no Chromium: apt-get install chromium");
      browser = await chromium.launch({ executablePath, args: QUIET });
    });
    afterAll(async () => {
      await browser?.close();
      browser = null;
    });
    tests();
  });
}

/** A browser window that records everything that goes wrong in it. */
export class Window {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly base: string;
  /** Console errors and warnings, script failures, and requests to other hosts. */
  readonly troubles: string[] = [];

  constructor(context: BrowserContext, page: Page, base: string) {
    this.context = context;
    this.page = page;
    this.base = base;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.troubles.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (problem) => this.troubles.push(`script: ${problem.message}`));
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol !== "data:" && protocol !== "blob:" && host !== new URL(base).host) {
        this.troubles.push(`left the machine: ${request.url()}`);
      }
    });
  }

  async goto(at: string): Promise<void> {
    await this.page.goto(this.base + at);
  }

  /** Signs in as the demo customer with the button that only a local service shows. */
  async signInAsDemo(): Promise<void> {
    await this.goto("/sign-in");
    await this.page.click("form[action$='/sign-in/demo'] button");
    await this.page.waitForURL(`${this.base}/`);
  }

  /** Asserts that nothing went wrong, except what the test provoked on purpose (`allowed`). */
  expectQuiet(...allowed: RegExp[]): void {
    expect(this.troubles.filter((trouble) => !allowed.some((one) => one.test(trouble)))).toEqual([]);
  }

  /** Saves a screenshot for review by a person. */
  async picture(name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
  }
}

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Opens a window with its own cookies. */
export async function openWindow(base: string, options: BrowserContextOptions = {}): Promise<Window> {
  if (!browser) throw new Error("the browser is started by describeInBrowser");
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(STEP_MS_MAX);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
  return new Window(context, await context.newPage(), base);
}
