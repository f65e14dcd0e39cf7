import { dastak, verifyWebhook } from "dastak";
import type { Dastak } from "dastak";

// A user's program that has the globals of the web, as the DOM's, Node's or Workers' declarations have them. It is
// compiled, and never run.

export const client: Dastak = dastak({ apiKey: "dsk_test_…", baseUrl: "http://localhost:8787", fetch });
export const other: Dastak = dastak({
  apiKey: "dsk_test_…",
  baseUrl: "http://localhost:8787",
  fetch: (url, init) => fetch(url, init),
  timeoutMs: undefined,
});

export const send = () =>
  client.sendSms(
    { phone: "9876543210", message: "" },
    { signal: AbortSignal.timeout(10_000), idempotencyKey: undefined },
  );

export async function handler(request: Request): Promise<Response> {
  const body = await verifyWebhook(await request.arrayBuffer(), request.headers, "whsec_…");
  const same = await verifyWebhook(new Uint8Array(), new Headers(), "whsec_…");
  return new Response(body.type + same.type);
}

export async function follow(controller: AbortController): Promise<void> {
  for await (const { seq } of client.events({ signal: controller.signal })) if (seq > 10) controller.abort();
}
