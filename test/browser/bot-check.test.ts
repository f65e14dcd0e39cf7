import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { axe, sideways } from "./axe.ts";
import { DESKTOP, PHONE, describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";
import { newPhone, waitForCode } from "./customer.ts";

// The bot check before a code, in a real browser, while many codes are requested.

/** Half of the day's ceiling, as a local service counts it: from here on, unknown browsers pass a check. */
const CODES_PER_DAY = 4;
const FREE_CODES = (CODES_PER_DAY / 2) * 20;

/** The check's own script, compressed. */
const CHECK_SCRIPT_BYTES_MAX = 1_500;

const LOOKS = [
  { colorScheme: "light", lang: "en", button: "Send code", working: /your browser solves a small puzzle first/u },
  { colorScheme: "dark", lang: "hi", button: "कोड भेजें", working: /आपका ब्राउज़र पहले एक छोटी पहेली हल करेगा/u },
] as const;

async function ask(window: Window, button: string, phone = newPhone()): Promise<string> {
  await window.goto("/sign-in");
  await window.page.locator("input[name=phone]").fill(phone);
  await window.page.getByRole("button", { name: button }).click();
  return phone;
}

describeInBrowser("a browser that is asked for a bot check", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService({ set: { CODES_PER_DAY: String(CODES_PER_DAY) } });
    base = `http://localhost:${service.port}`;
    for (let sent = 0; sent < FREE_CODES; sent += 1) {
      const form = { method: "POST", headers: { origin: base }, body: new URLSearchParams({ phone: newPhone() }) };
      expect((await fetch(`${base}/sign-in`, { ...form, redirect: "manual" })).status).toBe(303);
    }
  });
  afterAll(() => service?.kill9());

  it("proves its work and sends the form again by itself", async () => {
    const window = await openWindow(base);
    const { page } = window;
    let script = 0;
    page.on("response", async (response) => {
      if (response.url().includes("proof-of-work")) script = gzipSync(await response.body()).length;
    });
    const phone = await ask(window, "Send code");
    await page.waitForURL(/\/sign-in\/code$/u);
    await page.getByLabel("Code", { exact: true }).fill(await waitForCode(service, phone));
    await page.getByLabel("Code", { exact: true }).press("Enter");
    await page.waitForURL(`${base}/`);
    expect(script).toBeGreaterThan(0);
    expect(script).toBeLessThan(CHECK_SCRIPT_BYTES_MAX);
    window.expectQuiet(/429 \(Too Many Requests\)/u);
    await window.context.close();
  });

  it("keeps what was typed in a sign-up, and waits for its password", async () => {
    const window = await openWindow(base);
    const { page } = window;
    await window.goto("/sign-up");
    const phone = newPhone();
    await page.getByLabel("Email").fill("asha-of-the-check@example.com");
    await page.getByLabel("Password").fill("a long pass phrase");
    await page.getByLabel("Mobile number").fill(phone);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Done. You can continue.").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe("asha-of-the-check@example.com");
    await page.getByLabel("Password").fill("a long pass phrase");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(/\/sign-in\/code$/u);
    await window.context.close();
  });

  it.each(LOOKS)("sees why, without an axe violation, in $colorScheme and $lang", async (look) => {
    const { colorScheme, lang, button, working } = look;
    const window = await openWindow(base, { colorScheme });
    await window.context.addCookies([{ name: "lang", value: lang, url: base }]);
    // Work without an end, so that the page stays while it is looked at.
    await window.page.route("**/sign-in", async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, body: (await reply.text()).replace('data-bits="17"', 'data-bits="32"') });
    });
    await ask(window, button);
    await window.page.getByText(working).first().waitFor();
    for (const [name, size] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      await window.page.setViewportSize(size);
      expect(await axe(window), name).toEqual([]);
      expect(await sideways(window), name).toBe(0);
      await window.picture(`bot-check-${name}-${colorScheme}-${lang}`);
    }
    window.expectQuiet(/429 \(Too Many Requests\)/u);
    await window.context.close();
  });

  it("and runs no scripts, is told to wait", async () => {
    const window = await openWindow(base, { javaScriptEnabled: false });
    const { page } = window;
    await ask(window, "Send code");
    await page.getByText(/Please wait \d+ seconds, then press the button again\./u).waitFor();
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByText(/Please wait \d+ seconds, then press the button again\./u).waitFor();
    await window.picture("bot-check-without-script");
    await window.context.close();
  });
});
