import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { describeInBrowser } from "./chromium.ts";
import { signUp } from "./customer.ts";

// What the pages say about a sent message agrees: on the list, in the chart, in the details, in any time zone.

describeInBrowser("a page", () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.kill9());

  it("draws the chart of a new account after its first message, without a reload", async () => {
    const window = await signUp(service);
    const { page } = window;
    const chart = page.locator("[data-usage]");
    expect(await chart.innerText()).toContain("Nothing sent in the last 14 days");
    await page.getByRole("button", { name: /Send OTP/u }).click();
    await expect.poll(() => chart.locator("rect.otp").count(), { timeout: 20_000 }).toBe(1);
    window.expectQuiet();
    await window.context.close();
  });

  it("writes the same times in Honolulu as the server does, with the reader's own as a title", async () => {
    const window = await signUp(service, undefined, { timezoneId: "Pacific/Honolulu" });
    const { page } = window;
    await page.getByRole("button", { name: /Send OTP/u }).click();
    const time = page.locator("#live time").first();
    await time.waitFor();
    const live = await time.innerText();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    expect(live).toBe(at.toLocaleTimeString("en-IN", { timeZone: "Asia/Kolkata", hourCycle: "h23" }));
    expect(await time.getAttribute("title")).toContain("GMT-10");
    await page.reload();
    await time.waitFor();
    expect(await time.innerText()).toBe(live);
    await window.context.close();
  });

  it("ends the timeline of a delivered message in the colour of success", async () => {
    const window = await signUp(service);
    const { page } = window;
    await page.getByRole("button", { name: /Send OTP/u }).click();
    const row = page.locator("#live tr").first();
    await expect.poll(() => row.innerText(), { timeout: 20_000 }).toContain("Delivered");
    await row.locator("[data-f=to]").click();
    const last = page.locator(".timeline li").last();
    await last.waitFor();
    const shown = await page.evaluate<string>(
      "getComputedStyle([...document.querySelectorAll('.timeline li')].at(-1), '::before').backgroundColor",
    );
    const colourOf = (name: string) =>
      page.evaluate<string>(`(() => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.color = "var(${name})";
        return getComputedStyle(probe).color;
      })()`);
    expect(shown).toBe(await colourOf("--ok"));
    expect(shown).not.toBe(await colourOf("--bad"));
    await window.context.close();
  });
});
