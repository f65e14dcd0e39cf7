import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/worker.ts";
import type { Reply } from "./world.ts";

/**
 * A request as the runtime passes it on. Request's own type is without the edge's properties, which nothing here reads.
 */
export const incoming = (url: string, init: RequestInit) =>
  new Request(url, init) as unknown as Request<unknown, IncomingRequestCfProperties>;

/** A service with these variables or bindings in place of the suite's, as what a Visitor visits. */
export function serviceWith(changed: Partial<Cloudflare.Env>): (url: string, init: RequestInit) => Promise<Response> {
  const changedEnv = { ...env, ...changed };
  return (url, init) => worker.fetch(incoming(url, init), changedEnv, createExecutionContext());
}

/** Sends a request to a service with these variables or bindings in place of the suite's. */
export async function callWith(changed: Partial<Cloudflare.Env>, url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await serviceWith(changed)(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
}

/** The suite's bucket with other methods in place of its own. */
export function bucketWith(changed: Partial<R2Bucket>): R2Bucket {
  return new Proxy(env.RECORDINGS, {
    get: (bucket, name) => {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(bucket, name);
      return typeof value === "function" && !(name in changed) ? value.bind(bucket) : value;
    },
  });
}

/** Variables of a deployed service: five hostnames, and secrets without the local mark. */
export const DEPLOYED: Partial<Cloudflare.Env> = {
  ENVIRONMENT: "production",
  SMS_URL: "https://sms.dastak.example",
  TTS_URL: "https://tts.dastak.example",
  VOICE_URL: "https://voice.dastak.example",
  OTP_URL: "https://otp.dastak.example",
  CONSOLE_URL: "https://console.dastak.example",
  KEY_SECRET: "key-secret-of-a-deployed-service-0123456789",
  SEAL_SECRET: "seal-secret-of-a-deployed-service-0123456789",
  OPERATOR_TOKEN: "operator-token-of-a-deployed-service-0123456789",
  PAYMENTS: "none",
  CARRIER_HTTP_SECRET: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5",
};
