import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { httpCarrier } from "../../src/carriers/http.ts";
import type { ReceiptState } from "../../src/model/message.ts";
import { SUITE_CONFIG } from "./suite.ts";
import type { KindUnderTest } from "./suite.ts";

const KEY = Buffer.from(env.CARRIER_HTTP_SECRET.slice("whsec_".length), "base64");

function signed(body: string, forged?: "unproved" | "wrong") {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = forged === "wrong" ? Buffer.alloc(24, 7) : KEY;
  const proof = createHmac("sha256", key).update(`rcpt_1.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": "rcpt_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${proof}` };
  const init = { method: "POST", body, headers: forged === "unproved" ? {} : headers };
  return { request: new Request("http://console.localhost/callbacks/http", init), token: null };
}

interface Sent {
  ref: string;
  to: string;
  text?: string;
  sender?: string;
  flash?: boolean;
  dlt_entity_id?: string;
  dlt_template_id?: string;
}

/** The kind `http`, with a gateway that speaks contract §11. */
export const HTTP: KindUnderTest = {
  title: "http",
  carrier: () => httpCarrier(SUITE_CONFIG),
  read: async (request) => {
    const { ref, to, text, sender, flash, dlt_entity_id, dlt_template_id } = await request.json<Sent>();
    return {
      ref,
      to,
      text: text ?? null,
      sender: sender ?? null,
      flash: flash ?? false,
      dltEntity: dlt_entity_id ?? null,
      dltTemplate: dlt_template_id ?? null,
    };
  },
  taken: () => Response.json({ id: "gw-1" }),
  refused: () => Response.json({}, { status: 422 }),
  busy: (headers = {}) => new Response("busy", { status: 429, headers }),
  ownTrouble: null,
  // Its status says all, and its body is not read.
  tooLong: "submitted",
  isSureNotConnected: true,
  receipt: (ref: string, state: ReceiptState, forged) => signed(JSON.stringify({ ref, state }), forged),
  unknownWord: (ref) => signed(JSON.stringify({ ref, state: "read" })),
};
