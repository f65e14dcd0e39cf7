import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { DESKTOP, describeInBrowser, openWindow } from "./chromium.ts";
import { newPhone, waitForCode } from "./customer.ts";

// What customers do in the dashboard without a mouse, and without scripts.

/** Accessible name of the focused element, and its outline style. */
const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  const name = focused.getAttribute("aria-label") || focused.labels?.[0]?.textContent || focused.textContent || "";
  return [name, getComputedStyle(focused).outlineStyle];
})()`;

describeInBrowser("a customer", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it("works by keyboard alone, with a visible focus at every step", async () => {
    const window = await openWindow(base);
    const { page } = window;
    const tabTo = async (name: RegExp) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press("Tab");
        const [text, outline] = await page.evaluate<[string, string]>(FOCUSED);
        if (!name.test(text)) continue;
        expect(outline).not.toBe("none");
        return;
      }
      throw new Error(`no Tab leads to ${name}`);
    };
    await window.goto("/sign-in");
    // The focus is on the first button, so one press signs in.
    expect(await page.evaluate<[string, string]>(FOCUSED)).toEqual(["Use the demo account", "solid"]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    // The skip link moved the focus past the menu.
    await tabTo(/Mobile number/u);
    await page.keyboard.type("9123400777");
    await page.keyboard.press("Enter");
    const row = page.locator("main").getByRole("row", { name: /91234 00777/u });
    await row.waitFor();
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("l");
    await page
      .getByText(/Paused/u)
      .first()
      .waitFor();
    await page.keyboard.press("l");
    await row.getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Timeline").waitFor();
    await page.keyboard.press("Escape");
    await expect
      .poll(() => page.evaluate<[string, string]>(FOCUSED))
      .toContainEqual(expect.stringContaining("91234 00777"));
    window.expectQuiet();
    await window.context.close();
  });

  it("works without scripts: signs up, sends, buys", async () => {
    const phone = newPhone();
    const window = await openWindow(base, { javaScriptEnabled: false, viewport: DESKTOP });
    const { page } = window;
    await window.goto("/sign-in");
    await page.getByLabel("Mobile number").fill(phone);
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByLabel("Code", { exact: true }).fill(await waitForCode(service, phone));
    await page.getByLabel("Code", { exact: true }).press("Enter");
    await page.getByLabel("Mobile number").fill("9123400003");
    await page.getByRole("button", { name: /Send OTP/u }).click();
    expect(await page.locator("main").innerText()).toContain("The OTP is queued.");
    await window.goto("/activity");
    expect(await page.locator("main").innerText()).toContain("91234 00003");
    await window.goto("/billing");
    await page.getByRole("button", { name: /Buy Starter/u }).click();
    await page.getByRole("button", { name: "Success", exact: true }).click();
    await window.goto("/");
    expect(await page.locator("main").innerText()).toContain("₹599.75");
    await window.context.close();
  });
});
