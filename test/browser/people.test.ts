import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { DESKTOP, PHONE, describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";
import { newPhone, signUp, waitForCode } from "./customer.ts";

// A person's credentials and sessions, in real browsers without a script: nothing of it needs one.

const PASSWORD = "a few words to remember";

/** Pictures in both languages and themes, at both widths. */
async function pictures(window: Window, name: string): Promise<void> {
  for (const lang of ["en", "hi"]) {
    await window.context.addCookies([{ name: "lang", value: lang, url: window.base }]);
    await window.page.emulateMedia({ colorScheme: lang === "en" ? "light" : "dark" });
    await window.page.goto(window.page.url());
    for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      await window.page.setViewportSize(viewport);
      await window.picture(`people-${name}-${lang}-${size}`);
      const wide = await window.page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([name, lang, size, wide]).toEqual([name, lang, size, 0]);
    }
  }
  await window.context.addCookies([{ name: "lang", value: "en", url: window.base }]);
  await window.page.setViewportSize(DESKTOP);
  await window.page.goto(window.page.url());
}

async function typeCode(window: Window, service: Service, phone: string): Promise<void> {
  await window.page.getByLabel("Code", { exact: true }).fill(await waitForCode(service, phone));
  await window.page.getByLabel("Code", { exact: true }).press("Enter");
}

describeInBrowser("a person", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it("sets a password, signs in elsewhere with it and a code, ends that session, and changes the phone", async () => {
    const phone = newPhone();
    const window = await signUp(service, phone);
    const { page } = window;
    const email = `${phone}@example.com`;
    await window.goto("/settings");
    await page.getByLabel("Email").fill(email);
    await page.locator("input[name=password]").fill(PASSWORD);
    await page.locator("form[action$='/settings/login'] button").click();
    await page.waitForURL(/saved=password/u);

    const other = await openWindow(base, { javaScriptEnabled: false });
    await other.goto("/sign-in/password");
    await pictures(other, "password");
    await other.page.locator("input[name=email]").fill(email);
    await other.page.locator("input[name=password]").fill(PASSWORD);
    await other.page.locator("input[name=password]").press("Enter");
    await other.page.waitForURL(/password\/code/u);
    await pictures(other, "second");
    await other.page.getByRole("link", { name: "I no longer have this number" }).click();
    await pictures(other, "lost");
    await other.goto("/sign-in/password/code");
    await typeCode(other, service, phone);
    await other.page.waitForURL(`${base}/`);

    await window.goto("/settings");
    await pictures(window, "settings");
    await page.locator("form[action*='/settings/sessions/'] button").click();
    await page.waitForURL(/saved=session/u);
    await other.goto("/keys");
    expect(other.page.url()).toContain("/sign-in");

    const fresh = newPhone();
    await page.locator("form[action$='/settings/phone'] input").fill(fresh);
    await page.locator("form[action$='/settings/phone'] input").press("Enter");
    await page.waitForURL(/settings\/phone$/u);
    await typeCode(window, service, fresh);
    await page.waitForURL(/saved=phone/u);
    await window.goto(`/inbox?q=${phone}`);
    await page.getByText("has a new mobile number").first().waitFor();
    await window.context.close();
    await other.context.close();
  });

  it("who forgot the password sets a new one; who lost the phone waits, and sees it on every page", async () => {
    const phone = newPhone();
    const window = await signUp(service, phone);
    await window.goto("/settings");
    await window.page.getByLabel("Email").fill(`${phone}@example.com`);
    await window.page.locator("input[name=password]").fill(PASSWORD);
    await window.page.locator("form[action$='/settings/login'] button").click();
    await window.page.waitForURL(/saved=password/u);

    const other = await openWindow(base, { javaScriptEnabled: false });
    await other.goto("/sign-in/password");
    await other.page.getByRole("link", { name: "Forgot your password?" }).click();
    await pictures(other, "forgot");
    await other.page.getByLabel("Mobile number").fill(phone);
    await other.page.getByLabel("Mobile number").press("Enter");
    await other.page.waitForURL(/sign-in\/code/u);
    await typeCode(other, service, phone);
    await other.page.waitForURL(/note=password/u);
    await other.page.locator("input[name=password]").fill("another few words");
    await other.page.locator("input[name=password]").press("Enter");
    await other.page.waitForURL(/saved=password/u);

    await other.page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await other.goto("/sign-in/password");
    await other.page.locator("input[name=email]").fill(`${phone}@example.com`);
    await other.page.locator("input[name=password]").fill("another few words");
    await other.page.locator("input[name=password]").press("Enter");
    await other.page.waitForURL(`${base}/`);
    await other.goto("/settings");
    await pictures(other, "old-phone");
    await other.page.getByRole("button", { name: "Send a code to the current number" }).click();
    await typeCode(other, service, phone);
    await other.page.locator("form[action$='/settings/phone'] input").waitFor();

    const fresh = newPhone();
    await other.goto("/settings/phone/lost");
    await other.page.getByLabel("Mobile number").fill(fresh);
    await other.page.getByLabel("Mobile number").press("Enter");
    await other.page.waitForURL(/lost\/code/u);
    await typeCode(other, service, fresh);
    await other.page.waitForURL(/saved=wait/u);
    await other.goto("/settings");
    await pictures(other, "waiting");
    await other.goto("/keys");
    await other.page.getByRole("button", { name: "Stop the change" }).click();
    await other.page.waitForURL(/saved=stopped/u);
    expect(await other.page.getByRole("button", { name: "Stop the change" }).count()).toBe(0);
    await window.context.close();
    await other.context.close();
  });
});
