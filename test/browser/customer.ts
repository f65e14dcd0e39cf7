import type { BrowserContextOptions } from "playwright-core";
import type { Service } from "../../harness/started.ts";
import { openWindow } from "./chromium.ts";
import type { Window } from "./chromium.ts";

// A new customer of a started service, who signs up in the browser.

let phones = 9_800_000_000;

/** A phone number that no other test of the file uses. */
export const newPhone = (): string => String((phones += 1));

/** Reply of the local test inbox's API to a request without a key. */
interface Caught {
  message: { id: string; text: string; code: string | null } | null;
}

/** The newest code that was sent to this number, from the local test inbox. */
export async function waitForCode(service: Service, phone: string): Promise<string> {
  const to = encodeURIComponent(`+91${phone}`);
  const { body } = await service.call(`/v1/test/inbox/wait?to=${to}&timeout=20`);
  return (body as unknown as Caught).message?.code ?? "";
}

/** Signs up with an unused phone number; the code comes from the test inbox. */
export async function signUp(
  service: Service,
  phone = newPhone(),
  options: BrowserContextOptions = {},
): Promise<Window> {
  const base = `http://localhost:${service.port}`;
  const window = await openWindow(base, options);
  const { page } = window;
  await window.goto("/sign-in");
  await page.getByLabel("Mobile number").fill(phone);
  await page.getByRole("button", { name: "Send code" }).click();
  await page.getByRole("link", { name: /inbox/iu }).waitFor();
  await page.getByLabel("Code", { exact: true }).fill(await waitForCode(service, phone));
  await page.getByLabel("Code", { exact: true }).press("Enter");
  await page.waitForURL(`${base}/`);
  return window;
}
