import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { isSigned } from "../../src/crypto/webhook-signature.ts";

// A service with a channel of alerts, and the receiver at its end.

export const ALERT_SECRET = "whsec_bG9jYWwtb25seS1hbGVydC1zZWNyZXQtMDAwMDAwMDA=";

/** The suite's service with a channel. */
export const withChannel = { ...env, ALERT_URL: "http://pager.test/alerts", ALERT_SECRET } as Env;

/** A notice as its receiver reads it. */
export interface ReadNotice {
  type: string;
  timestamp: string;
  data: { kind: string; subject: string; meaning: string; runbook: string; count: number; values: object };
}

/** One request to the receiver. */
export interface Received {
  id: string;
  text: string;
  body: ReadNotice;
}

/** Stands in for the receiver: answers each request with `answer`, and keeps those with a valid signature. */
export function receiveAlerts(answer: (nth: number) => Response | Promise<Response> = () => new Response("thanks")) {
  const received: Received[] = [];
  const forged: string[] = [];
  let calls = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (request.url !== "http://pager.test/alerts") throw new Error(`no request to ${request.url} was expected`);
    const text = await request.text();
    const id = request.headers.get("webhook-id") ?? "";
    if (isSigned(ALERT_SECRET, request.headers, text, Date.now())) {
      received.push({ id, text, body: JSON.parse(text) as ReadNotice });
    } else {
      forged.push(id);
    }
    calls += 1;
    return answer(calls - 1);
  });
  return { received, forged };
}

/** Forgets every alert and notice. */
export async function forgetAlerts(): Promise<void> {
  await env.DB.batch(["DELETE FROM alert", "DELETE FROM alert_notice"].map((query) => env.DB.prepare(query)));
}
