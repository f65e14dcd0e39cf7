import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mp3 } from "../world/recordings.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";
import { newPhone, signUp, waitForCode } from "./customer.ts";

// What customers do in the dashboard, in a real browser; each test signs up a new customer.

/** Reads the customer's key with the Show button. */
async function showKey(window: Window): Promise<string> {
  await window.goto("/keys");
  await window.page.getByRole("button", { name: "Show" }).first().click();
  const shown = window.page.locator("[data-key-text]").first();
  await expect.poll(() => shown.textContent()).toMatch(/^dsk_live_\w{30,}$/u);
  return (await shown.textContent()) ?? "";
}

/** Status of an API call with this key. */
async function statusOf(service: Service, key: string): Promise<number> {
  return (await service.call("/account-balance", { headers: { authorization: `Bearer ${key}` } })).status;
}

describeInBrowser("a customer", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  it("signs up with a code from the inbox, makes the first call, and sees it live", async () => {
    const window = await signUp(service);
    const { page } = window;
    const key = await showKey(window);
    await window.goto("/");
    await page.getByText("Live", { exact: true }).first().waitFor();
    const before = await page.locator("main").innerText();
    expect(before).toContain("₹100.00");
    const { status, body } = await service.post(key, "/send-sms", { phone: "9123456789", message: "Hello there" });
    expect({ status, body }).toMatchObject({ status: 200, body: { coins_used: 1, coins_remaining: 99 } });
    const row = page.locator("main").getByRole("row", { name: /91234 56789/u });
    await row.waitFor();
    await expect.poll(() => page.locator("main").innerText()).toContain("₹99.00");
    await expect.poll(() => row.innerText(), { timeout: 20_000 }).toContain("Delivered");
    window.expectQuiet();
    await window.context.close();
  });

  it("sends one OTP from the form even on a double click, and finds it in the inbox", async () => {
    const window = await signUp(service);
    const { page } = window;
    await page.getByLabel("Mobile number").fill("9123400001");
    await page.getByLabel("OTP code").fill("482913");
    await page.getByLabel(/Brand name/u).fill("<img src=x onerror=alert(1)>");
    await page.getByRole("button", { name: /Send OTP/u }).dblclick();
    const row = page.locator("main").getByRole("row", { name: /91234 00001/u });
    await row.first().waitFor();
    // A live code is masked, and markup is shown as text.
    expect(await row.first().innerText()).toContain("••••••");
    await expect.poll(() => row.first().innerText(), { timeout: 20_000 }).toContain("Delivered");
    expect(await row.count()).toBe(1);
    await window.goto("/inbox?q=9123400001");
    await page.getByText("482913 is your one-time password").first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await page
      .getByRole("button", { name: /482913/u })
      .first()
      .click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("482913");
    window.expectQuiet();
    await window.context.close();
  });

  it("buys a plan in the sandbox: failure, success reported twice and out of order, one credit, an invoice", async () => {
    const window = await signUp(service);
    const { page } = window;
    const buy = async (outcome: string, options: string[] = []) => {
      await window.goto("/billing");
      await page.getByRole("button", { name: /Buy Business/u }).click();
      for (const option of options) await page.locator(`input[name=${option}]`).check();
      await page.getByRole("button", { name: outcome, exact: true }).click();
      await page.waitForURL(/billing\/orders/u);
    };
    await buy("Failure");
    await window.goto("/");
    expect(await page.locator("main").innerText()).toContain("₹100.00");
    await buy("Success", ["twice", "disorder"]);
    await window.goto("/");
    const overview = await page.locator("main").innerText();
    expect(overview).toContain("₹2,200.00");
    expect(overview).toContain("Business");
    expect(overview).toContain("₹0.20");
    await buy("Success", ["wrong"]);
    await window.goto("/");
    expect(await page.locator("main").innerText()).toContain("₹2,200.00");
    await window.goto("/billing");
    await page
      .getByRole("link", { name: /invoice|receipt/iu })
      .first()
      .click();
    await page.waitForURL(/invoice$/u);
    expect(await page.locator("main").innerText()).toContain("1,999.00");
    window.expectQuiet();
    await window.context.close();
  });

  it("rotates a key and revokes one, and the API follows at once", async () => {
    const window = await signUp(service);
    const { page } = window;
    const first = await showKey(window);
    expect(await statusOf(service, first)).toBe(200);
    await page
      .getByRole("link", { name: /Rotate/u })
      .first()
      .click();
    await page.locator("select[name=overlap]").selectOption("0");
    await page.getByRole("button", { name: "Create new key" }).click();
    await page
      .getByText(/dsk_live_\w{30,}/u)
      .or(page.locator("input[value^=dsk_live_]"))
      .first()
      .waitFor();
    const second = /dsk_live_\w{30,}/u.exec(await page.locator("main").innerHTML())?.[0] ?? "";
    expect(second).not.toBe("");
    expect(second).not.toBe(first);
    expect(await statusOf(service, second)).toBe(200);
    expect(await statusOf(service, first)).toBe(401);
    await window.goto("/keys");
    page.on("dialog", (dialog) => dialog.accept());
    await page
      .getByRole("link", { name: /Revoke/u })
      .first()
      .click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await expect.poll(() => statusOf(service, second)).toBe(401);
    window.expectQuiet();
    await window.context.close();
  });

  it("uploads a recording and calls with it", async () => {
    const window = await signUp(service);
    const { page } = window;
    await window.goto("/recordings");
    const buffer = Buffer.from(mp3(3));
    await page.locator("input[type=file]").setInputFiles({ name: "hello.mp3", mimeType: "audio/mpeg", buffer });
    await page.getByRole("button", { name: /Upload/u }).click();
    await page
      .getByRole("link", { name: /Use in a call/u })
      .first()
      .click();
    await page
      .getByLabel(/number/iu)
      .first()
      .fill("919123400002");
    await page.getByRole("button", { name: /Call/u }).click();
    await window.goto("/inbox?q=9123400002");
    const player = page.locator("audio").first();
    // It plays, although the browser may keep no copy of it.
    const lengthSec = () => player.evaluate((audio) => Math.round((audio as unknown as { duration: number }).duration));
    await expect.poll(lengthSec).toBe(3);
    window.expectQuiet();
    await window.context.close();
  });

  it("searches the history, reads a message in the drawer, and exports", async () => {
    const window = await signUp(service);
    const { page } = window;
    const key = await showKey(window);
    for (const [at, message] of ["one", "two 🙏", "\u202Ethree", "😀".repeat(160)].entries()) {
      const { status } = await service.post(key, "/send-sms", { phone: `912340010${at}`, message });
      expect(status).toBe(200);
    }
    await service.post(key, "/send-otp", { phone: "9123400109", otp: "7310" });
    await window.goto("/activity");
    await page.getByRole("searchbox").fill("kind:sms -to:9123400100");
    await page.getByRole("searchbox").press("Enter");
    await page.waitForURL(/q=/u);
    const rows = page.locator("main tbody tr");
    expect(await rows.count()).toBe(3);
    await rows.last().locator("a").first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("curl", { exact: true }).first().waitFor();
    expect(await drawer.innerText()).toContain("two 🙏");
    await page.keyboard.press("Escape");
    await expect.poll(() => drawer.isVisible()).toBe(false);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: /CSV/u }).click(),
    ]);
    const csv = readFileSync(await download.path(), "utf8");
    expect(csv.trim().split("\r\n").length).toBe(4);
    window.expectQuiet();
    await window.context.close();
  });

  it("signs out everywhere, which ends the session in every other browser", async () => {
    const phone = newPhone();
    const window = await signUp(service, phone);
    const other = await openWindow(base);
    await other.goto("/sign-in");
    await other.page.getByLabel("Mobile number").fill(phone);
    await other.page.getByRole("button", { name: "Send code" }).click();
    await other.page.getByLabel("Code", { exact: true }).waitFor();
    await expect
      .poll(async () => {
        await other.page.getByLabel("Code", { exact: true }).fill(await waitForCode(service, phone));
        await other.page.getByLabel("Code", { exact: true }).press("Enter");
        await other.page.waitForLoadState();
        return other.page.url();
      })
      .toBe(`${base}/`);
    await window.goto("/settings");
    await window.page.getByRole("button", { name: /everywhere/iu }).click();
    await window.page.waitForURL(/sign-in/u);
    await other.goto("/keys");
    expect(other.page.url()).toContain("/sign-in");
    window.expectQuiet();
    await window.context.close();
    await other.context.close();
  });
});
