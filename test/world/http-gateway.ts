import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type * as z from "zod";
import { callbackToken } from "../../src/carriers/callback-token.ts";
import type { Outgoing, Seen } from "../../src/carriers/carrier.ts";
import { anyKind } from "../../src/carriers/kind.ts";
import type { Around, Kind } from "../../src/carriers/kind.ts";
import { configOf } from "../../src/config/config.ts";
import type { CarrierKind, CarrierSecrets } from "../../src/model/carrier/carrier.ts";

// A gateway in place of the network, for carriers that speak HTTP, and a carrier of a kind as an operator sets it up.

/** One request that a carrier made. */
export interface Asked {
  url: URL;
  method: string;
  headers: Headers;
  body: string;
  redirect: string | undefined;
}

type Answer = () => Response | Promise<Response>;

/** Replaces `fetch` until mocks are restored: each request is read whole, kept, and answered. */
export function httpGateway(answer: Answer): Asked[] {
  const asked: Asked[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { url, method } = new Request(input, { method: init?.method ?? "GET" });
    const body = await new Response(init?.body ?? null).text();
    asked.push({ url: new URL(url), method, headers: new Headers(init?.headers), body, redirect: init?.redirect });
    return answer();
  });
  return asked;
}

/** A connection that is refused before it has taken anything, or that breaks once it has taken all. */
export function brokenGateway(takes: "nothing" | "all"): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    if (takes === "all") await new Response(init?.body ?? null).text();
    throw new TypeError("Network connection lost.");
  });
}

export const CARRIER_NAME = "relay";
export const TOKEN = callbackToken(configOf(env).KEY_SECRET, CARRIER_NAME);

/** A message as carriers get it, with these differences. */
export const outgoing = (change: Partial<Outgoing> = {}): Outgoing => ({
  ref: "msg_1a2b3c",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "Hello",
  content: {},
  audioUrl: null,
  ...change,
});

type AnySettings = z.ZodType<Record<string, unknown>>;

/** A carrier of a kind with these settings and secrets, and everything that its operator's test was told. */
export function carrierOf<Settings extends AnySettings>(
  kind: Kind<Settings>,
  named: CarrierKind,
  settings: object,
  secrets: CarrierSecrets,
  config = configOf(env),
) {
  const read = kind.settings.parse(settings);
  const callbackUrl = `https://console.example/callbacks/${CARRIER_NAME}${kind.callback === "token" ? `/${TOKEN}` : ""}`;
  const around: Around = { config, env, callbackUrl };
  const setup = { name: CARRIER_NAME, kind: named, settings: read, secrets, tps: null };
  const carrier = anyKind(kind).carrier(setup, around);
  if (!carrier) throw new Error("settings that were read are none of their kind");
  const seen: Seen[] = [];
  return {
    carrier,
    seen,
    callbackUrl,
    submit: (change?: Partial<Outgoing>) => carrier.submit(outgoing(change), (one) => seen.push(one)),
  };
}

/** The first fault of settings or secrets: its path and its sentence. */
export function faultIn(schema: Kind["settings"] | Kind["secrets"], given: unknown): [string, string] | null {
  const { error } = schema.safeParse(given);
  const [issue] = error?.issues ?? [];
  return issue ? [issue.path.join("."), issue.message] : null;
}
