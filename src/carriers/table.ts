import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { logLine, logProblem } from "../log.ts";
import type { CarrierKind, CarrierSecrets, CarrierSetup, Route } from "../model/carrier/carrier.ts";
import { isOperation, OPERATION_NAMES } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import { audible } from "./audible.ts";
import { callbackToken } from "./callback-token.ts";
import type { Carrier, NoReceipts, Receipt } from "./carrier.ts";
import { storedIds } from "./ids.ts";
import { http, httpCarrier, httpSetup } from "./http.ts";
import { infobip } from "./infobip.ts";
import { kannel } from "./kannel.ts";
import { anyKind } from "./kind.ts";
import type { AnyKind } from "./kind.ts";
import { sim, simCarrier } from "./sim.ts";
import { smpp } from "./smpp.ts";
import { carrierSetting, openSecrets } from "./stored.ts";
import type { CarrierDocument } from "./stored.ts";
import { template } from "./template.ts";
import { twilio } from "./twilio.ts";
import type { SettingWaits } from "../kept/setting.ts";

/** Every kind of carrier: a file each, and a line here. */
export const KINDS: Readonly<Record<CarrierKind, AnyKind>> = {
  sim: anyKind(sim),
  http: anyKind(http),
  template: anyKind(template),
  smpp: anyKind(smpp),
  kannel: anyKind(kannel),
  twilio: anyKind(twilio),
  infobip: anyKind(infobip),
};

/** The kinds by their names. */
export const KIND_NAMES = Object.keys(KINDS) as readonly CarrierKind[];

const kindNamed = (kind: string): AnyKind | undefined =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as CarrierKind] : undefined;

/** The carriers that the settings make, by their names; no other carrier may have one of these. */
const BUILT_IN: Record<Config["CARRIER"], (config: Config) => Carrier> = {
  sim: () => simCarrier,
  http: httpCarrier,
};

/** Whether a name is kept for what the settings make. */
export const isBuiltInName = (name: string): name is Config["CARRIER"] => Object.hasOwn(BUILT_IN, name);

/** How the built-in carriers of this deployment are set up: the simulator, and the one of CARRIER. */
export function builtInSetups(config: Config): CarrierSetup[] {
  const simulator: CarrierSetup = { name: "sim", kind: "sim", settings: {}, secrets: {}, tps: null };
  return config.CARRIER === "sim" ? [simulator] : [httpSetup(config), simulator];
}

/** The carrier of this deployment's settings; test keys always go to the simulator (contract §4). */
export function carrierFor(config: Config, mode: Mode): Carrier {
  return mode === "test" ? simCarrier : BUILT_IN[config.CARRIER](config);
}

/** The carrier of the settings with this name, which a message's row holds; null when it does not exist. */
export function carrierNamed(config: Config, name: string): Carrier | null {
  return isBuiltInName(name) ? BUILT_IN[name](config) : null;
}

/** Where the receipts of a carrier of this name and kind go; null where they do not come by HTTP. */
export function callbackUrl(config: Config, name: string, kind: string): string | null {
  const way = kindNamed(kind)?.callback;
  const address = `${config.CONSOLE_URL}/callbacks/${name}`;
  if (way === undefined) return null;
  return way === "token" ? `${address}/${callbackToken(config.KEY_SECRET, name)}` : address;
}

/** What is needed of a stored carrier to make it. */
interface Stored {
  name: string;
  kind: string;
  settings: Record<string, unknown>;
  secrets: CarrierSecrets;
  tps?: number | null;
}

/** Makes a carrier of what is stored; null, with a line in the log, where its settings or secrets cannot be read. */
export function carrierOf(env: Env, stored: Stored): Carrier | null {
  try {
    return madeOf(env, stored);
  } catch (problem) {
    // The others do not depend on it.
    logProblem(`carrier ${stored.name}`, problem);
    return null;
  }
}

function madeOf(env: Env, { name, kind: kindName, settings, secrets, tps = null }: Stored): Carrier | null {
  const config = configOf(env);
  const kind = kindNamed(kindName);
  const opened = openSecrets(config.SEAL_SECRET, name, secrets);
  const address = callbackUrl(config, name, kindName) ?? "";
  const setup = opened && { name, kind: kindName as CarrierKind, settings, secrets: opened, tps };
  const around = { config, env, callbackUrl: address, ids: storedIds(env, name) };
  const own = setup && kind ? kind.carrier(setup, around) : null;
  const made = own && { ...own, tps };
  if (!made) logLine("carrier_unusable", { carrier: name, kind: kindName, secrets: opened !== null });
  return made && audible(env, made);
}

/**
 * A carrier that cannot be made of what is stored: it takes nothing, so that its messages go on to the next one, and its
 * receipts have to come again.
 */
const unusable = ({ name, kind }: Stored): Carrier => ({
  name,
  isPaced: false,
  resubmits: false,
  operations: new Set(OPERATION_NAMES),
  submit: async () => ({ kind: "not_accepted", code: "not_configured" }),
  ...(kindNamed(kind)?.callback && { receipts: async () => "unreadable" as const }),
});

/** Operations of a newer version fit no message of this one. */
const routeOf = ({ operations, to, carriers, fallback }: CarrierDocument["routes"][number]): Route => ({
  carriers,
  ...(operations && { operations: operations.filter(isOperation) }),
  ...(to && { to }),
  ...(fallback && { fallback }),
});

/** The carriers and routes of one reading of the set: each carrier is made once, when it is first asked for. */
export class Carriers {
  readonly routes: readonly Route[];
  /** Every carrier that a message may go to by these routes. */
  readonly routed: readonly string[];
  readonly #env: Env;
  readonly #document: CarrierDocument;
  readonly #made = new Map<string, Carrier>();

  constructor(env: Env, document: CarrierDocument) {
    this.#env = env;
    this.#document = document;
    this.routes = document.routes.map(routeOf);
    const named = this.routes.flatMap(({ carriers, fallback = [] }) => [
      ...carriers.map(({ name }) => name),
      ...fallback,
    ]);
    this.routed = [...new Set([configOf(env).CARRIER, ...named])];
  }

  /** The carrier with this name: of the settings or of the set; null where there is none. One that cannot be used takes nothing. */
  named(name: string): Carrier | null {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const stored = this.#document.carriers.find((one) => one.name === name);
    const of = stored && (() => carrierOf(this.#env, stored) ?? unusable(stored));
    const made = carrierNamed(configOf(this.#env), name) ?? of?.() ?? null;
    // Only names that exist: others come from outside.
    if (made) this.#made.set(name, made);
    return made;
  }

  /** Whether there is a carrier of this name, and it can do this. */
  readonly can = (name: string, operation: Operation): boolean => this.named(name)?.operations.has(operation) ?? false;

  /** Those who may read receipts that come to this name: the carrier, and what it was before, at a change or a deletion. */
  receivers(name: string, nowMs: number): Carrier[] {
    const past = this.#document.past.filter((one) => one.name === name && one.until > nowMs);
    const all = [this.named(name), ...past.toReversed().map((one) => carrierOf(this.#env, one))];
    return all.filter((one) => one !== null);
  }
}

const known = new WeakMap<CarrierDocument, { env: Env; carriers: Carriers }>();
const latest = new WeakMap<R2Bucket, Carriers>();

/** The carrier with this name, as far as this isolate knows the set; null where it knows none. */
export const carrierKnown = (env: Env, name: string): Carrier | null =>
  carrierNamed(configOf(env), name) ?? latest.get(env.RECORDINGS)?.named(name) ?? null;

/** The carriers and routes as this isolate knows them; 503 where it knows none and R2 is away. */
export async function currentCarriers(env: Env, ctx: SettingWaits): Promise<Carriers> {
  const document = await carrierSetting.current(env, ctx);
  const before = known.get(document);
  if (before?.env === env) {
    latest.set(env.RECORDINGS, before.carriers);
    return before.carriers;
  }
  const carriers = new Carriers(env, document);
  latest.set(env.RECORDINGS, carriers);
  known.set(document, { env, carriers });
  return carriers;
}

/** Who may read receipts that come to this name; those of the settings depend on nothing that is stored. */
async function receiversOf(env: Env, ctx: SettingWaits, name: string): Promise<Carrier[]> {
  const builtIn = carrierNamed(configOf(env), name);
  return builtIn ? [builtIn] : (await currentCarriers(env, ctx)).receivers(name, Date.now());
}

/**
 * Reads receipts that came to the callback address of a name, by the first of its carriers that proves and understands
 * them; undefined where none gets receipts by HTTP. Of several that do not, `invalid` tells the most, and `forged` the least.
 */
export async function readReceipts(
  env: Env,
  ctx: SettingWaits,
  { name, token, request }: { name: string; token: string | null; request: Request },
): Promise<Receipt[] | NoReceipts | undefined> {
  const receivers = await receiversOf(env, ctx, name);
  const found = new Set<NoReceipts>();
  for (const receiver of receivers) {
    // Each reads the body, of which the last one takes the original.
    const own = receiver === receivers.at(-1) ? request : request.clone();
    const read = await receiver.receipts?.(own, token);
    if (read !== undefined && typeof read !== "string") return read;
    if (read !== undefined) found.add(read);
  }
  return (["invalid", "unreadable", "forged"] as const).find((one) => found.has(one));
}
