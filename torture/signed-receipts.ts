import type http from "node:http";
import { signedHeaders } from "../src/crypto/webhook-signature.ts";
import { callOnce } from "../harness/http.ts";
import type { Submission } from "../harness/gateway.ts";
import type { ReceiptSettings } from "./receipts.ts";

// How the deployment's own gateway posts a receipt: signed JSON.

const ANSWER_MS_MAX = 10_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The status of the answer to a request; null where none came in time. */
export function statusOf(url: string, headers: Record<string, string>, body: string, agent: http.Agent) {
  const reply = callOnce(url, { method: "POST", headers, body, agent }).then(({ status }) => status);
  return Promise.race([reply, pause(ANSWER_MS_MAX).then(() => null)]).catch(() => null);
}

export interface Signing {
  secret: string;
  agent: http.Agent;
  /** Times of the service; the first is the current one. */
  timesMs: () => number[];
}

export const postSigned =
  ({ secret, agent, timesMs }: Signing): ReceiptSettings<Submission>["post"] =>
  ({ ref, callback_url: url }, { id, state, fault }) => {
    const [nowMs = Date.now()] = timesMs();
    const about = fault === "unknown_ref" ? `${ref.slice(0, -4)}AAAA` : ref;
    const body = JSON.stringify({ ref: about, state: fault === "no_state" ? "perhaps" : state });
    const signedAt = nowMs - (fault === "stale" ? 3_600_000 : 0);
    const key = fault === "forged" ? `whsec_${Buffer.alloc(32).toString("base64")}` : secret;
    return statusOf(url, signedHeaders(key, id, body, signedAt), body, agent);
  };
