import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { carrierSetting } from "../../src/carriers/stored.ts";
import { operator } from "./world.ts";

// Carriers and routes that a test sets up by the operator API.

/** A secret of Standard Webhooks, of a carrier of a test. */
export const ACME_SECRET = `whsec_${Buffer.from("acme's own key, of 32 bytes, ok!").toString("base64")}`;

/** A carrier of kind `http` as the operator writes it. */
export const ACME = {
  kind: "http",
  settings: { url: "https://gateway.example.com/messages" },
  secrets: { secret: ACME_SECRET },
};

/** Sets a carrier up, which must succeed. */
export async function setCarrier(name: string, body: object = ACME): Promise<void> {
  const reply = await operator("PUT", `/operator/carriers/${name}`, body);
  expect(reply.status, reply.text).toBe(200);
}

/** Takes all carriers and routes away, with what is kept of deleted ones. */
export const noCarriers = (): Promise<void> =>
  carrierSetting.replace(env.RECORDINGS, { carriers: [], past: [], routes: [] });
