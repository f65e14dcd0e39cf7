import type { MessageDetail } from "./operations.ts";
import type { Signal } from "./options.ts";
import { pause } from "./pause.ts";
import type { Transport } from "./transport.ts";

const ROUTE = { method: "GET", base: "console", path: "/v1/messages/{id}" } as const;

/** States in which nothing more is expected; `unconfirmed` and `unknown` may still be corrected by a late receipt. */
const SETTLED: ReadonlySet<string> = new Set([
  "delivered",
  "undelivered",
  "failed",
  "cancelled",
  "unconfirmed",
  "unknown",
]);

/** How `waitFor` waits. */
export interface WaitOptions {
  /** How long it waits at most, in ms; default 60,000. */
  timeoutMs?: number | undefined;
  signal?: Signal | undefined;
}

/** Gaps between two looks, in ms. */
const GAP_MS = { first: 250, max: 5_000, growth: 1.5 };

/** Looks at a message until its state is settled or the time is up, and returns it as it then is. */
export async function waitFor(
  transport: Transport,
  id: string,
  { timeoutMs = 60_000, signal }: WaitOptions = {},
): Promise<MessageDetail> {
  const endAt = Date.now() + timeoutMs;
  for (let gapMs = GAP_MS.first; ; gapMs = Math.min(GAP_MS.max, gapMs * GAP_MS.growth)) {
    const { body } = await transport.call(ROUTE, { path: [id] }, { signal });
    const message = body["message"] as MessageDetail;
    const leftMs = endAt - Date.now();
    if (SETTLED.has(message.state) || leftMs <= 0) return message;
    await pause(Math.min(gapMs, leftMs), signal);
  }
}
