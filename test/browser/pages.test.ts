import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import { base64, wav } from "../world/recordings.ts";
import { axe, sideways } from "./axe.ts";
import { DESKTOP, PHONE, describeInBrowser, openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";

// Every page in a real browser: no request to other hosts, no console error, no accessibility violation.

/** Pages for a signed-in customer. */
const PAGES = [
  "/",
  "/send/sms",
  "/send/bulk",
  "/send/international",
  "/send/otp",
  "/send/tts",
  "/send/voice",
  "/activity",
  "/schedule",
  "/requests",
  "/inbox",
  "/recordings",
  "/keys",
  "/endpoints",
  "/dlt",
  "/billing",
  "/settings",
  "/settings/activity",
  "/settings/archives",
  "/settings/close",
  "/docs/api/sendOtp",
  "/there-is-no-such-page",
];
const PUBLIC = ["/sign-in", "/sign-in/password", "/sign-in/forgot", "/sign-up", "/inbox", "/desk/sign-in"];
const DOCS = [
  "/docs",
  "/docs/errors",
  "/docs/webhooks",
  "/docs/scheduling",
  "/docs/prices",
  "/docs/india",
  "/docs/api/sendSms",
  "/docs/api/streamEvents",
  "/docs/search?q=retry",
];
const DESK = [
  "/desk",
  "/desk/health",
  "/desk/carriers",
  "/desk/carriers/sim",
  "/desk/carriers/sim/test",
  "/desk/new-carrier",
  "/desk/new-carrier?kind=template&preset=msg91",
  "/desk/new-carrier?kind=smpp",
  "/desk/routes",
  "/desk/routes?to=%2B919876543210&operation=sms",
  "/desk/route",
  "/desk/carrier-set",
  "/desk/rate-card",
  "/desk/number-rules",
  "/desk/payments",
  "/desk/queues",
  "/desk/reconcile",
  "/desk/leaving",
  "/desk/audit",
  "/desk/sessions",
];

/** Both colour schemes and both languages, each once. */
const LOOKS = [
  { colorScheme: "light", lang: "en" },
  { colorScheme: "dark", lang: "hi" },
] as const;

const OPERATOR_TOKEN = "local-only-operator-token-for-this-machine";

/** Address of the first link on the page that starts with `start`. */
async function first(window: Window, at: string, start: string): Promise<string> {
  await window.goto(at);
  return (await window.page.locator(`main a[href^="${start}"]`).first().getAttribute("href")) ?? "";
}

/** Pages that are reached by a link: a message, an inbox entry, the forms of a key. */
async function linked(window: Window): Promise<string[]> {
  return [
    await first(window, "/activity", "/activity/"),
    await first(window, "/inbox", "/inbox/"),
    await first(window, "/keys", "/keys/key_"),
    (await first(window, "/keys", "/keys/key_")).replace("rotate", "revoke"),
    await first(window, "/recordings", "/recordings/file_"),
    await first(window, "/endpoints", "/endpoints/wh_"),
    `${await first(window, "/endpoints", "/endpoints/wh_")}/edit`,
    "/confirm",
  ];
}

/** Buys a plan, and lets its payment go back: a half by a refund, the rest by a dispute. Returns the pages on the way. */
async function order(window: Window): Promise<string[]> {
  const { page } = window;
  await window.goto("/billing");
  await page.locator("form[action$='/billing/orders'] button").first().click();
  await page.waitForURL(/pay\/ord_/u);
  const pay = new URL(page.url()).pathname;
  await page.locator("button[value=success]").click();
  await page.waitForURL(/orders\/ord_/u);
  const ordered = new URL(page.url()).pathname;
  for (const outcome of ["partial_refund", "dispute", "dispute_lost"]) {
    await window.goto(pay);
    await page.locator(`button[value=${outcome}]`).click();
    await page.waitForURL(/orders\/ord_/u);
  }
  const note = await first(window, ordered, `${ordered}/notes/`);
  return [pay, ordered, `${ordered}/invoice`, note, "/billing", note.replace(/^.*\/notes/u, "/desk/notes")];
}

async function askForCode(window: Window): Promise<void> {
  await window.goto("/sign-in");
  await window.page.locator("input[name=phone]").fill("9812300000");
  await window.page.locator("input[name=phone]").press("Enter");
  await window.page.waitForURL(/code/u);
}

/** Sends one of each kind, so that no list is empty. */
async function fill(service: Service): Promise<void> {
  const { apiKey } = service.demo;
  await service.post(apiKey, "/send-sms", { phone: "9876543210", message: "Hello" });
  await service.post(apiKey, "/send-otp", { phone: "9876543211", otp: "482913", brandName: "Chai & Co" });
  await service.post(apiKey, "/send-bulk-sms", { recipients: ["9876543212", "9876543213"], message: "नमस्ते 🙏" });
  await service.post(apiKey, "/send-sms", { phone: "+919876543210", message: "Hello", senderId: "SHOP" });
  await service.post(apiKey, "/api/tts-call", { callee: "9876543214", text: "Namaste" });
  const { body } = await service.post(apiKey, "/v1/webhooks", {
    url: "http://127.0.0.1:9/hook",
    description: "Orders",
  });
  const { webhook } = body as { webhook?: { webhook_id: string } };
  await service.post(apiKey, `/v1/webhooks/${webhook?.webhook_id}/test`, {});
  await service.post(apiKey, "/api/upload-voice", { fileName: "offer.wav", base64Data: base64(wav({ seconds: 31 })) });
}

describeInBrowser("every page", () => {
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = await startService();
    base = `http://localhost:${service.port}`;
    await fill(service);
  });
  afterAll(() => service?.kill9());

  for (const { colorScheme, lang } of LOOKS) {
    it(`has no axe violation and no sideways scrolling, in ${colorScheme} and ${lang}, at desktop and phone width`, async () => {
      const window = await openWindow(base, { colorScheme });
      await window.context.addCookies([{ name: "lang", value: lang, url: base }]);
      const found: Record<string, unknown> = {};
      const look = async (at: string) => {
        await window.goto(at);
        for (const [name, size] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
          await window.page.setViewportSize(size);
          const violations = await axe(window);
          const wide = await sideways(window);
          if (violations.length > 0 || wide > 0) found[`${name} ${at}`] = { violations, wide };
          await window.picture(`${at.replaceAll("/", "_")}-${name}-${colorScheme}-${lang}`);
        }
        await window.page.setViewportSize(DESKTOP);
      };
      for (const at of [...PUBLIC, ...DOCS]) await look(at);
      await askForCode(window);
      await look("/sign-in/code");
      await window.signInAsDemo();
      for (const at of [...PAGES, ...(await linked(window))]) await look(at);
      const ordered = await order(window);
      for (const at of ordered.filter((path) => !path.startsWith("/desk"))) await look(at);
      await window.goto("/desk/sign-in");
      await window.page.locator("input[type=password]").fill(OPERATOR_TOKEN);
      await window.page.locator("input[type=password]").press("Enter");
      await window.page.waitForURL(/desk$/u);
      const account = await first(window, "/desk", "/desk/accounts/");
      const notes = ordered.filter((path) => path.startsWith("/desk"));
      for (const at of [...DESK, account, `${account}/suspend`, `${account}/leave`, ...notes]) await look(at);
      expect(found).toEqual({});
      window.expectQuiet(/404 \(Not Found\)/u);
      await window.context.close();
    });
  }

  it("would fail on a violation: axe finds one that is planted", async () => {
    const window = await openWindow(base);
    await window.goto("/sign-in");
    await window.page.evaluate("document.querySelector('main').append(document.createElement('img'))");
    expect((await axe(window)).join()).toContain("image-alt");
    await window.context.close();
  });
});
