import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { VARIABLES } from "../harness/service.mjs";
import { randomOf } from "./random.ts";

// The service's settings under torture: timers are short enough that each of them is reached, and long enough for two
// busy cores.

/** Below the range for outgoing connections, so that no connection takes the service's port while it is down. */
const PORTS_FIRST = 19_100;
const PORTS_COUNT = 100;

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}

/** Five adjacent ports; parallel runs find different ones. */
async function freePorts() {
  for (let tries = 0; tries < PORTS_COUNT / 5; tries++) {
    const service = PORTS_FIRST + ((5 * (process.pid + tries)) % PORTS_COUNT);
    const ports = { service, carrier: service + 1, receiver: service + 2, template: service + 3, smpp: service + 4 };
    const areFree = await Promise.all(Object.values(ports).map(isFree));
    if (areFree.every(Boolean)) return ports;
  }
  throw new Error(`no five ports are free from ${PORTS_FIRST} on`);
}

export const PORTS = await freePorts();

export const TIMERS = {
  SWEEP_MS: 1_000,
  RETRY_BASE_MS: 300,
  ATTEMPTS_MAX: 5,
  CARRIER_TIMEOUT_MS: 2_000,
  // Longer than a lease, so that an attempt that was cut off can be made again where references are recognised.
  UNKNOWN_WINDOW_MS: 50_000,
  RECEIPT_WINDOW_MS: 9_000,
  VALIDITY_SMS_MS: 45_000,
  VALIDITY_OTP_MS: 30_000,
  VALIDITY_CALL_MS: 40_000,
  QUOTE_TTL_MS: 5_000,
  WEBHOOK_TIMEOUT_MS: 1_000,
} as const;

/** For so long a carrier that fails is left alone at first, in ms. */
const BREAKER_OPEN_MS = 2_000;

/** The waits of a webhook's endpoint: so many that no event is given up that a receiver refuses now and then. */
const LADDER_MS = [300, 600, 1_000, ...Array.from({ length: 17 }, () => 1_500)];

/**
 * What is older leaves for the archive, in days: little longer than the longest validity and both windows together, which
 * is the least that the service takes. Texts are forgotten by then.
 */
const KEPT_DAYS = 0.001_25;

export const BASE = `http://127.0.0.1:${PORTS.service}`;

export const CARRIER_SECRET = `whsec_${randomBytes(32).toString("base64")}`;

/** What differs from run to run. */
export interface Regime {
  /** Whether the gateway recognises references, and the service knows it. */
  dedupes: boolean;
  /** The rate that the service is given for the gateway, in submissions per second; null: it learns the rate. */
  tps: number | null;
  /** Carriers beside the gateway: a run has one of each kind, or none. */
  carriers: 1 | 3;
}

/** A set rate, above what is ordered on average, and how much more the gateway takes. */
const TPS = 150;
const GATEWAY_MARGIN = 1.2;

/** The regime that a seed chooses. */
export function regimeOf(seed: string): Omit<Regime, "carriers"> {
  const coin = (name: string) => randomOf(seed, name)() < 0.5;
  return { dedupes: coin("dedupes"), tps: coin("tps") ? TPS : null };
}

/** What the gateway of a regime takes in a second; null: as much as comes. */
export const gatewayLimitOf = ({ tps }: Regime) => (tps === null ? null : Math.ceil(tps * GATEWAY_MARGIN));

/** The service's settings. Plain http to a gateway is allowed locally only, so this is a local environment. */
export const variablesOf = ({ dedupes, tps, carriers }: Regime): Record<string, string> => ({
  ENVIRONMENT: "local",
  SMS_URL: `http://sms.localhost:${PORTS.service}`,
  TTS_URL: `http://tts.localhost:${PORTS.service}`,
  VOICE_URL: `http://voice.localhost:${PORTS.service}`,
  OTP_URL: `http://otp.localhost:${PORTS.service}`,
  CONSOLE_URL: BASE,
  CARRIER: "http",
  CARRIER_HTTP_URL: `http://127.0.0.1:${PORTS.carrier}/messages`,
  CARRIER_HTTP_SECRET: CARRIER_SECRET,
  // A submission that hangs occupies a slot: with few slots most messages would wait past their validity.
  DISPATCH_CONCURRENCY: "400",
  CARRIER_HTTP_DEDUPES: dedupes ? "on" : "off",
  ...(tps !== null && { CARRIER_TPS: String(tps) }),
  ...(carriers > 1 && { BREAKER_OPEN_MS: String(BREAKER_OPEN_MS) }),
  WEBHOOK_LADDER_MS: LADDER_MS.join(),
  HISTORY_DAYS: String(KEPT_DAYS),
  TEXT_DAYS: String(KEPT_DAYS),
  ...Object.fromEntries(Object.entries(TIMERS).map(([name, value]) => [name, String(value)])),
});

/** The ids of the listed secrets in each step of a rotation, of which the first makes; the last three come again. */
const LISTS = [[1], [1, 2], [2, 1], [2, 1, 3], [3, 2, 1], [1, 3, 2]];
const AGAIN_FROM = 3;

/** Both secrets in a step. The one with the id 1 is that with which the service began. */
export function secretsAt(step: number): Record<string, string> {
  const at = step < LISTS.length ? step : AGAIN_FROM + ((step - AGAIN_FROM) % (LISTS.length - AGAIN_FROM));
  const listOf = (name: "KEY_SECRET" | "SEAL_SECRET") =>
    (LISTS[at] ?? [])
      .map((id) => `${id}:${id === 1 ? VARIABLES[name] : `${name}-number-${id}-of-a-rotation-under-torture`}`)
      .join(",");
  return { KEY_SECRET: listOf("KEY_SECRET"), SEAL_SECRET: listOf("SEAL_SECRET") };
}

/** Every value that a secret has in a rotation, by its id. */
export function secretsOfRotation(name: "KEY_SECRET" | "SEAL_SECRET"): Map<number, string> {
  const lists = LISTS.flatMap((_, step) => secretsAt(step)[name]?.split(",") ?? []);
  return new Map(lists.map((one) => [Number(one.split(":")[0]), one.slice(one.indexOf(":") + 1)]));
}

export type Plan = "premium" | "business" | "starter";

/** The kinds of customers: rich ones, poor ones that run out of coins, and ones with a low rate limit. */
export interface Role {
  plan: Plan;
  /** Coins. */
  opening: number;
  lanes: number;
  meanGapMs: number;
}

const ROLES = {
  rich: { plan: "premium", opening: 200_000, lanes: 2, meanGapMs: 2_500 },
  poor: { plan: "premium", opening: 10, lanes: 1, meanGapMs: 700 },
  business: { plan: "business", opening: 100_000, lanes: 1, meanGapMs: 1_500 },
  starter: { plan: "starter", opening: 50_000, lanes: 1, meanGapMs: 2_500 },
} as const satisfies Record<string, Role>;

const ORDER = ["rich", "poor", "rich", "starter", "rich", "rich", "business", "rich"] as const;

export function rolesOf(accounts: number): Role[] {
  return Array.from({ length: accounts }, (_, at) => ROLES[ORDER[at % ORDER.length] ?? "rich"]);
}
