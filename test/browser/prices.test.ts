import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { axe, sideways } from "./axe.ts";
import { DESKTOP, PHONE, describeInBrowser, openWindow } from "./chromium.ts";

// The price that a form shows is the price that is charged, also where prices change while the form is open.

const CARD = { smsIndia: 1, smsAbroad: 5, ttsCall: 2, voiceCallPer30s: 2 };
const TTL_MS = 1_500;
const TEXT = "Your table is ready.";

describeInBrowser("a form whose price changes", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService({ set: { QUOTE_TTL_MS: String(TTL_MS) } });
    base = `http://localhost:${service.port}`;
  });
  afterAll(() => service?.kill9());

  async function price(smsIndia: number): Promise<void> {
    const { status } = await service.operator("PUT", "/rate-card", { ...CARD, smsIndia });
    expect(status).toBe(200);
  }

  const balance = async () => {
    const headers = { authorization: `Bearer ${service.demo.apiKey}` };
    return Number((await service.call("/account-balance", { headers })).body.balance);
  };

  for (const javaScriptEnabled of [true, false]) {
    for (const [look, lang, viewport, [button, said]] of [
      ["light", "en", DESKTOP, [/Send SMS/u, "The price has changed: you were shown ₹1.00, and it costs ₹7.00 now."]],
      ["dark", "hi", PHONE, [/SMS भेजें/u, "कीमत बदल गई है: आपको ₹1.00 दिखाई गई थी, अब ₹7.00 है।"]],
    ] as const) {
      it(`says both prices and asks once more, ${javaScriptEnabled ? "with" : "without"} the script, in ${lang}`, async () => {
        await price(1);
        const window = await openWindow(base, { javaScriptEnabled, viewport, colorScheme: look });
        const { page } = window;
        await window.signInAsDemo();
        await window.context.addCookies([{ name: "lang", value: lang, url: base }]);
        await window.goto("/send/sms");
        await page.locator("[name=phone]").fill("9876543210");
        await page.locator("[name=message]").fill(TEXT);
        if (!javaScriptEnabled) await page.locator("[data-checks]").click();
        const figures = page.locator("[data-part=figures]");
        await figures.getByText("₹1.00").waitFor();
        const before = await balance();
        await price(7);
        // The quote of the figures expires.
        await page.waitForTimeout(TTL_MS + 100);
        await page.getByRole("button", { name: button }).click();
        await page.getByText(said).first().waitFor();
        expect(await balance()).toBe(before);
        expect(await page.locator("[name=message]").inputValue()).toBe(TEXT);
        await figures.getByText("₹7.00").waitFor();
        if (javaScriptEnabled) {
          await expect.poll(() => page.locator("[data-total]").innerText()).toBe("₹7.00");
          await expect.poll(() => page.locator("[data-price]").innerText()).toBe("₹7.00");
          expect(await axe(window)).toEqual([]);
        }
        expect(await sideways(window)).toBeLessThanOrEqual(0);
        await window.picture(`prices-asked-${javaScriptEnabled ? "script" : "plain"}-${look}-${lang}`);
        await page.getByRole("button", { name: button }).click();
        await expect.poll(balance).toBe(before - 7);
        window.expectQuiet(/400 \(Bad Request\)/u);
        await window.context.close();
      });
    }
  }

  it("sends a text that is typed and posted at once without asking, at the price that the button showed", async () => {
    await price(1);
    const window = await openWindow(base);
    const { page } = window;
    await window.signInAsDemo();
    await window.goto("/send/sms");
    const before = await balance();
    await page.locator("[name=phone]").fill("9876543210");
    await page.locator("[name=message]").fill("न".repeat(71));
    expect(await page.locator("[data-total]").innerText()).toBe("₹2.00");
    await page.getByRole("button", { name: /Send SMS/u }).click();
    await expect.poll(balance).toBe(before - 2);
    window.expectQuiet();
    await window.context.close();
  });
});
