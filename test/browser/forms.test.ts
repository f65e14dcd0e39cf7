import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { axe, sideways } from "./axe.ts";
import { DESKTOP, PHONE, describeInBrowser, openWindow } from "./chromium.ts";
import { signUp } from "./customer.ts";
import type { Window } from "./chromium.ts";

// What a form does with what a person pastes, loses and goes back from.

/** Puts a text into the clipboard and pastes it into the focused field, as a person does. */
async function paste({ page }: Window, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press("ControlOrMeta+V");
}

describeInBrowser("a form", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it("sends a pasted number with its country code to that number, and shows it while it is typed", async () => {
    const window = await signUp(service);
    const { page } = window;
    for (const [typed, shown] of [
      ["919876543219", "+91 98765 43219"],
      ["+91 98765 43218", "+91 98765 43218"],
      ["\u202a०98765 43217\u202c", "+91 98765 43217"],
    ] as const) {
      await page.getByLabel("Mobile number").fill("");
      await page.getByLabel("Mobile number").focus();
      await paste(window, typed);
      expect(await page.getByLabel("Mobile number").inputValue()).toBe(typed);
      await page.locator("[data-part=number]", { hasText: shown }).waitFor();
      await page.getByRole("button", { name: /Send OTP/u }).click();
      await page
        .locator("main")
        .getByRole("row", { name: new RegExp(shown.slice(4), "u") })
        .waitFor();
    }
    expect(await page.locator("#live tr").count()).toBe(3);
    await window.picture("forms-overview-number");
    window.expectQuiet();
    await window.context.close();
  });

  it("asks before it sends to a number that was guessed, with and without the script", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const window = await openWindow(base, { javaScriptEnabled, viewport: DESKTOP });
      await window.signInAsDemo();
      const { page } = window;
      await window.goto("/send/international");
      await page.getByLabel("Number with country code").fill("6505550132");
      await page.getByLabel("Message", { exact: true }).fill("Hello");
      const button = page.getByRole("button", { name: /Send SMS/u });
      await button.click();
      await page.getByText("Send to +91 65055 50132?").first().waitFor();
      // The price is that of the number that was read, not of one in another country.
      await expect.poll(() => page.locator("[data-total]").innerText()).toBe("₹1.00");
      expect(await page.getByText("The SMS is queued.").count()).toBe(0);
      await window.picture(`forms-asked-${javaScriptEnabled ? "script" : "plain"}`);
      await page.getByRole("button", { name: /Send SMS/u }).click();
      await page.getByText("The SMS is queued.").first().waitFor();
      window.expectQuiet(/400 \(Bad Request\)/u);
      await window.context.close();
    }
  });

  it("shows what it would send and cost: while it is typed, and without the script by a button", async () => {
    for (const javaScriptEnabled of [true, false]) {
      for (const [look, lang, viewport] of [
        ["light", "en", DESKTOP],
        ["dark", "hi", PHONE],
      ] as const) {
        const window = await openWindow(base, { javaScriptEnabled, viewport, colorScheme: look });
        await window.signInAsDemo();
        const { page } = window;
        await window.context.addCookies([{ name: "lang", value: lang, url: base }]);
        await window.goto("/send/bulk");
        await page.locator("[name=recipients]").fill("9876543210\n98765 43210\n98765\n9876543211");
        await page.locator("[name=message]").fill(`It’s ${"a".repeat(80)}`);
        const check = page.locator("[data-checks]");
        if (javaScriptEnabled) expect(await check.isVisible()).toBe(false);
        else await check.click();
        const figures = page.locator("[data-part=figures]");
        await figures.getByText("₹4.00").waitFor();
        expect(await figures.innerText()).toMatch(/UCS-2 · .*1/u);
        expect(await figures.locator("li").count()).toBe(1);
        if (javaScriptEnabled) expect(await axe(window)).toEqual([]);
        expect(await sideways(window)).toBeLessThanOrEqual(0);
        await window.picture(`forms-figures-${javaScriptEnabled ? "script" : "plain"}-${look}-${lang}`);
        window.expectQuiet();
        await window.context.close();
      }
    }
  });

  it("shows the command that does the same while it is typed", async () => {
    const window = await signUp(service);
    const { page } = window;
    await window.goto("/send/sms");
    await page.getByLabel("Mobile number").fill("+91 91234 00777");
    await page.getByLabel("Message", { exact: true }).fill(`It's "so" $HOME`);
    const command = page.locator("[data-part=sample] pre");
    await expect.poll(() => command.innerText()).toContain("9123400777");
    await expect.poll(() => command.innerText()).toContain(String.raw`It'\''s \"so\" $HOME`);
    await page.locator("[data-part=sample] button").click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(await command.textContent());
    await window.picture("forms-sample");
    window.expectQuiet();
    await window.context.close();
  });

  it("that gets no answer says on the overview too that it is never sent twice, and is not", async () => {
    const window = await signUp(service);
    const { page } = window;
    await page.getByLabel("Mobile number").fill("9123400778");
    // The request reaches the service, and its reply is lost.
    await page.route("**/send/otp", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole("button", { name: /Send OTP/u }).click();
    await page.getByText("the same form is never sent twice").waitFor();
    await page.unroute("**/send/otp");
    await page.getByRole("button", { name: /Send OTP/u }).click();
    await page.locator(".toast").first().waitFor();
    await expect.poll(() => page.locator("#live tr").count()).toBe(1);
    await page.reload();
    expect(await page.locator("#live tr").count()).toBe(1);
    window.expectQuiet(/ERR_FAILED/u);
    await window.context.close();
  });

  it("moves the focus to its result after sending", async () => {
    const window = await signUp(service);
    const { page } = window;
    await window.goto("/send/sms");
    await page.getByLabel("Mobile number").fill("9123400779");
    await page.getByLabel("Message", { exact: true }).fill("Hello");
    await page.getByLabel("Message", { exact: true }).press("Tab");
    await page.getByRole("button", { name: /Send SMS/u }).click();
    const result = page.locator("[data-told][role=status]");
    await result.waitFor();
    await expect
      .poll(() => page.evaluate<string>("document.activeElement.textContent"))
      .toContain("The SMS is queued.");
    window.expectQuiet();
    await window.context.close();
  });

  it("tells an Excel workbook from a list as soon as it is chosen", async () => {
    const window = await signUp(service);
    const { page } = window;
    await window.goto("/send/bulk");
    const buffer = Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00]);
    await page.locator("input[type=file]").setInputFiles({ name: "list.xlsx", mimeType: "application/zip", buffer });
    await page.getByText("This is an Excel workbook. Save it as CSV").waitFor();
    expect(await page.getByLabel("Recipients").inputValue()).toBe("");
    await page.locator("input[type=file]").setInputFiles({
      name: "list.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("phone\n(+91) 98765 43210\n९८७६५४३२११\n"),
    });
    await expect.poll(() => page.locator("[data-found]").getAttribute("data-found")).toBe("2");
    expect(await page.getByText("This is an Excel workbook").count()).toBe(0);
    window.expectQuiet();
    await window.context.close();
  });
});

/** Limit over the wire, compressed, of all scripts of a page with a form that sends. */
const SCRIPTS_BYTES_MAX = 10_000;

describeInBrowser("the script of forms", () => {
  it("is loaded only by pages that have such a form, and all scripts of these weigh less than 10 kB", async () => {
    const service = await startService();
    const window = await openWindow(`http://localhost:${service.port}`);
    const scripts: Record<string, number> = {};
    window.page.on("response", async (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith(".js")) scripts[pathname] = gzipSync(await response.body()).length;
    });
    await window.page.goto(`${window.base}/sign-in`, { waitUntil: "networkidle" });
    expect(Object.keys(scripts)).toHaveLength(1);
    await window.signInAsDemo();
    await window.page.goto(`${window.base}/send/bulk`, { waitUntil: "networkidle" });
    expect(Object.keys(scripts)).toHaveLength(2);
    expect(Object.values(scripts).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(SCRIPTS_BYTES_MAX);
    await window.context.close();
    await service.kill9();
  });
});

describeInBrowser("the drawer and the keyboard", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
    await service.post(service.demo.apiKey, "/send-sms", { phone: "9123400001", message: "Hello" });
  });
  afterAll(() => service?.kill9());

  it("opens a message under its own address: Back closes it, Forward opens it, and reloading shows its page", async () => {
    const window = await openWindow(base);
    const { page } = window;
    await window.signInAsDemo();
    await window.goto("/activity");
    const drawer = page.getByRole("dialog");
    await page.locator("main tbody tr a").first().click();
    await drawer.getByText("Timeline").first().waitFor();
    expect(page.url()).toMatch(/\/activity\/msg_\w+$/u);
    const own = page.url();
    await page.goBack();
    await expect.poll(() => drawer.isVisible()).toBe(false);
    expect(page.url()).toBe(`${base}/activity`);
    expect(await page.locator("main tbody tr").count()).toBe(1);
    await page.goForward();
    await drawer.getByText("Timeline").first().waitFor();
    expect(page.url()).toBe(own);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.url()).toBe(`${base}/activity`);
    await page.locator("main tbody tr a").first().click();
    await drawer.getByText("Timeline").first().waitFor();
    await page.reload();
    expect(await page.locator("h1").innerText()).toContain("91234 00001");
    await page.goBack();
    await page.locator("main tbody tr").first().waitFor();
    expect(page.url()).toBe(`${base}/activity`);
    window.expectQuiet();
    await window.context.close();
  });

  it("closes the sheet of a phone on Escape, and moves along tabs with Home and End", async () => {
    const window = await openWindow(base, { viewport: PHONE });
    const { page } = window;
    await window.signInAsDemo();
    const more = page.locator(".bar summary");
    await more.click();
    await page.locator(".sheet a").first().focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".bar details").getAttribute("open")).toBeNull();
    expect(await page.evaluate<string>("document.activeElement.tagName")).toBe("SUMMARY");
    await page.setViewportSize(DESKTOP);
    const tab = (name: string) => page.getByRole("tab", { name });
    await tab("curl").focus();
    for (const [key, name] of [
      ["End", "Python"],
      ["ArrowRight", "curl"],
      ["ArrowLeft", "Python"],
      ["Home", "curl"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await tab(name).getAttribute("aria-selected")).toBe("true");
    }
    window.expectQuiet();
    await window.context.close();
  });
});
