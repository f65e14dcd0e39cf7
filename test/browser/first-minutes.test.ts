import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_LOGIN } from "../../src/accounts/open.ts";
import { TEST_NUMBERS } from "../../src/model/test-numbers.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser, openWindow } from "./chromium.ts";
import { newPhone, signUp } from "./customer.ts";

// The first five minutes of a newcomer on a local service.

describeInBrowser("a newcomer", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it("finds the demo account first, and signs in with the password that the page shows", async () => {
    const window = await openWindow(base);
    const { page } = window;
    await window.goto("/sign-in");
    expect(await page.getByRole("button").first().innerText()).toMatch(/demo/u);
    const shown = await page.locator("main p b").allInnerTexts();
    expect(shown.slice(-2)).toEqual([DEMO_LOGIN.email, DEMO_LOGIN.password]);
    await window.goto("/sign-in/password");
    await page.locator("[name=email]").fill(shown.at(-2) ?? "");
    await page.locator("[name=password]").fill(shown.at(-1) ?? "");
    await page.locator("[name=password]").press("Enter");
    await page.waitForURL(`${base}/`);
    window.expectQuiet();
    await window.context.close();
  });

  it("signs up with one press for the code", async () => {
    const window = await openWindow(base);
    const { page } = window;
    await window.goto("/sign-in");
    await page.locator("[name=phone]").fill(newPhone());
    await page.locator("[name=phone]").press("Enter");
    await page.locator("[data-code-for]").click();
    await page.waitForURL(`${base}/`);
    window.expectQuiet();
    await window.context.close();
  });

  it("is led through three steps, and from a sent row to the phone", async () => {
    const window = await signUp(service);
    const { page } = window;
    const steps = page.locator(".steps li");
    expect(await steps.count()).toBe(3);
    expect(await page.locator(".steps .done").count()).toBe(0);
    expect(await page.locator("section:has(.steps)").innerText()).toContain("₹100.00");
    await page.getByRole("button", { name: /Send OTP/u }).click();
    await page.locator("#live .onphone").first().click();
    await page.locator("#phone").getByText("is your one-time password").first().waitFor();
    await window.goto("/");
    expect(await page.locator(".steps .done").count()).toBe(1);
    await page.getByRole("button", { name: "Hide these steps" }).click();
    await page.waitForURL(`${base}/`);
    expect(await steps.count()).toBe(0);
    window.expectQuiet();
    await window.context.close();
  });

  it("learns in test mode the numbers that choose an ending, and sees one end so", async () => {
    const window = await signUp(service);
    const { page } = window;
    expect(await page.locator(".testnumbers").count()).toBe(0);
    await page.locator(".side button[name=mode][value=test]").click();
    await page.waitForURL(`${base}/`);
    const listed = await page.locator(".testnumbers a").allInnerTexts();
    expect(listed).toEqual(TEST_NUMBERS.map(({ phone }) => phone));
    await page.getByRole("link", { name: "7000000001" }).click();
    await page.locator("form[data-send] button:not([type])").click();
    await page.locator("[data-told] a").first().click();
    await expect
      .poll(async () => (await page.reload(), page.locator("main table").innerText()), { timeout: 20_000 })
      .toContain("Failed");
    await window.context.close();
  });
});
