import { CLOSED_SECRETS, carrierSetting, openSecrets, sealSecrets } from "../../carriers/stored.ts";
import type { CarrierDocument, PastCarrier, StoredCarrier, StoredRoute } from "../../carriers/stored.ts";
import { builtInSetups } from "../../carriers/table.ts";
import { configOf } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { digest } from "../../crypto/bytes.ts";
import { fail } from "../../http/errors.ts";
import type { CarrierSecrets, Route } from "../../model/carrier/carrier.ts";
import { isRouted, unknownCarrier } from "../../routing/read.ts";
import { tellBinds } from "./binds.ts";
import { readCarrier, refuseField } from "./read.ts";
import type { GivenCarrier, ReadCarrier } from "./read.ts";

// Changes of the carriers and routes (contract §16.1, §16.2). Each is written on condition that no other came between.

/** All of them are read by every isolate, and shown on one page. */
const CARRIERS_MAX = 100;

/** Earlier set-ups under one name, and of all names, whose receipts are read; beyond these the oldest end. */
const PAST_OF_NAME_MAX = 5;
const PAST_MAX = 200;

/** Of a mark, in bytes. */
const MARK_SIZE = 12;

/** How long receipts may come of what a carrier was given before a change, in ms. */
const receiptsMs = ({ RECEIPT_WINDOW_MS, UNKNOWN_WINDOW_MS }: Config): number =>
  Math.max(RECEIPT_WINDOW_MS, UNKNOWN_WINDOW_MS);

/** The opened secrets of a carrier; null where they cannot be. */
export const secretsOf = (
  config: Config,
  { name, secrets }: Pick<StoredCarrier, "name" | "secrets">,
): CarrierSecrets | null => openSecrets(config.SEAL_SECRET, name, secrets);

/** What tells one set-up from another. */
const factsOf = (kind: string, settings: object, secrets: CarrierSecrets | null): string =>
  JSON.stringify([kind, settings, Object.entries(secrets ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))]);

/** Whether receipts of what was sent before the change may need the set-up from before it. */
const differs = (config: Config, before: StoredCarrier, now: ReadCarrier): boolean =>
  factsOf(before.kind, before.settings, secretsOf(config, before)) !== factsOf(now.kind, now.settings, now.secrets);

/** The earlier set-ups that still count, with those that end now. */
function pastWith(config: Config, past: readonly PastCarrier[], ended: readonly StoredCarrier[], nowMs: number) {
  const until = nowMs + receiptsMs(config);
  const all = [
    ...past,
    ...ended.map(({ name, kind, settings, secrets }) => ({ name, kind, settings, secrets, until })),
  ];
  const ofName = (one: PastCarrier, at: number) => all.slice(at + 1).filter(({ name }) => name === one.name).length;
  return all.filter((one, at) => one.until > nowMs && ofName(one, at) < PAST_OF_NAME_MAX).slice(-PAST_MAX);
}

/** A carrier for storage. */
async function storedOf(
  config: Config,
  name: string,
  { kind, settings, secrets, tps }: ReadCarrier,
  before: StoredCarrier | undefined,
  nowMs: number,
): Promise<StoredCarrier> {
  const sealed = await sealSecrets(config.SEAL_SECRET, name, secrets);
  return { name, kind, settings, secrets: sealed, tps, createdAt: before?.createdAt ?? nowMs, updatedAt: nowMs };
}

/**
 * The secrets that a carrier keeps when it is set up as this kind. Ends the request where one would have to be kept that does
 * not open: it would be lost.
 */
function keptSecrets(
  config: Config,
  before: StoredCarrier | undefined,
  { kind, secrets }: GivenCarrier,
  at = "",
): CarrierSecrets {
  if (before?.kind !== kind) return {};
  const opened = secretsOf(config, before);
  if (opened) return opened;
  const left = Object.keys(before.secrets).find((name) => !Object.hasOwn(secrets ?? {}, name));
  return left === undefined ? {} : refuseField(`${at}secrets.${left}`, CLOSED_SECRETS);
}

/**
 * When a change takes effect, in ms: now, and after every change of a carrier before it, in whatever order requests began and
 * whatever the clocks of their isolates say. The binds' objects take the latest for the last.
 */
const takesEffectMs = ({ carriers }: Pick<CarrierDocument, "carriers">): number =>
  Math.max(Date.now(), ...carriers.map(({ updatedAt }) => updatedAt + 1));

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

/** Sets a carrier up, or replaces how it is set up; ends the request with the first fault. Returns the carrier. */
export async function putCarrier(env: Env, name: string, given: GivenCarrier): Promise<StoredCarrier> {
  const config = configOf(env);
  const after = await carrierSetting.change(env.RECORDINGS, async ({ carriers, past, routes }) => {
    const nowMs = takesEffectMs({ carriers });
    const before = carriers.find((one) => one.name === name);
    const read = readCarrier(config, given, keptSecrets(config, before, given));
    if (!before && carriers.length >= CARRIERS_MAX) fail("too_many", `There can be at most ${CARRIERS_MAX} carriers.`);
    const stored = await storedOf(config, name, read, before, nowMs);
    const ended = before && differs(config, before, read) ? [before] : [];
    return {
      carriers: [...carriers.filter((one) => one !== before), stored].toSorted(byName),
      past: pastWith(config, past, ended, nowMs),
      routes,
    };
  });
  const stored = after.carriers.find((one) => one.name === name);
  if (!stored) throw new Error("a carrier that was stored is not there");
  await tellBinds(env, after, stored.updatedAt, name);
  return stored;
}

/** Deletes a carrier, whose receipts are still read for a while; 404 for none, 409 where a route names it. */
export async function deleteCarrier(env: Env, name: string): Promise<void> {
  const config = configOf(env);
  let nowMs = 0;
  const after = await carrierSetting.change(env.RECORDINGS, ({ carriers, past, routes }) => {
    const before = carriers.find((one) => one.name === name) ?? fail("not_found", "There is no such carrier.");
    if (isRouted(routes, name)) fail("in_use", `A route names the carrier ${name}; take it out of the routes first.`);
    nowMs = takesEffectMs({ carriers });
    return {
      carriers: carriers.filter((one) => one !== before),
      past: pastWith(config, past, [before], nowMs),
      routes,
    };
  });
  await tellBinds(env, after, nowMs, name);
}

/** Ends the request where a route names a carrier that does not exist. */
function demandCarriers(
  config: Config,
  carriers: readonly { name: string }[],
  routes: readonly Pick<Route, "carriers" | "fallback">[],
): void {
  const names = new Set([...builtInSetups(config), ...carriers].map(({ name }) => name));
  const unknown = unknownCarrier(routes, (name) => names.has(name));
  if (unknown) refuseField(unknown.param, `There is no carrier ${unknown.name}.`);
}

/** A route as it is stored. */
export const storedRoute = ({ operations, to, carriers, fallback }: Route): StoredRoute => ({
  ...(operations && { operations: [...operations] }),
  ...(to && { to: [...to] }),
  carriers: carriers.map(({ name, weight }) => ({ name, weight })),
  ...(fallback && { fallback: [...fallback] }),
});

/** Replaces all routes; ends the request where one names a carrier that does not exist. */
export async function putRoutes(env: Env, routes: readonly Route[]): Promise<void> {
  const config = configOf(env);
  await carrierSetting.change(env.RECORDINGS, (before) => {
    demandCarriers(config, before.carriers, routes);
    return { ...before, routes: routes.map(storedRoute) };
  });
}

/** Tells the routes that an operator looks at from any others. */
export const markOf = (value: unknown): string =>
  Buffer.from(digest("shown-set/v1", JSON.stringify(value), MARK_SIZE)).toString("base64url");

/**
 * Changes the routes that an operator looked at: null where others are stored by now, and nothing is changed. Ends the
 * request where one names a carrier that does not exist.
 */
export async function editRoutes(
  env: Env,
  mark: string,
  edit: (routes: readonly StoredRoute[]) => StoredRoute[],
): Promise<number | null> {
  const config = configOf(env);
  let isOther = false;
  const after = await carrierSetting.change(env.RECORDINGS, (before) => {
    isOther = markOf(before.routes) !== mark;
    if (isOther) return null;
    const routes = edit(before.routes);
    demandCarriers(config, before.carriers, routes);
    return { ...before, routes };
  });
  return isOther ? null : after.routes.length;
}

/** A carrier of a set that is imported. */
export type ImportedCarrier = GivenCarrier & { name: string };

/** A whole set, as it was written. */
export interface GivenSet {
  carriers: readonly ImportedCarrier[];
  routes: readonly Route[];
}

/** What would be stored; ends the request with the first fault. */
export async function importedDocument(
  config: Config,
  { carriers: before, past }: CarrierDocument,
  { carriers: given, routes }: GivenSet,
  nowMs: number,
): Promise<CarrierDocument> {
  const ended: StoredCarrier[] = [];
  const fresh: StoredCarrier[] = [];
  for (const [at, { name, ...one }] of given.entries()) {
    const known = before.find((other) => other.name === name);
    const path = `carriers[${at}].`;
    const read = readCarrier(config, one, keptSecrets(config, known, one, path), path);
    if (known && differs(config, known, read)) ended.push(known);
    fresh.push(await storedOf(config, name, read, known, nowMs));
  }
  ended.push(...before.filter(({ name }) => !given.some((one) => one.name === name)));
  demandCarriers(config, fresh, routes);
  return {
    carriers: fresh.toSorted(byName),
    past: pastWith(config, past, ended, nowMs),
    routes: routes.map(storedRoute),
  };
}

/** Tells a set that an operator looks at from any other. */
export const markOfSet = ({ carriers, routes }: CarrierDocument): string => markOf([carriers, routes]);

/**
 * Replaces the whole set; null where a `mark` is given and another set than that one is stored. A carrier that was there as
 * the same kind keeps the secrets that the new set does not give; one that lacks a secret, as any fault, ends the request,
 * and nothing changes.
 */
export async function importSet(env: Env, given: GivenSet, mark?: string): Promise<CarrierDocument | null> {
  const config = configOf(env);
  let isOther = false;
  let nowMs = 0;
  const after = await carrierSetting.change(env.RECORDINGS, async (before) => {
    isOther = mark !== undefined && markOfSet(before) !== mark;
    nowMs = takesEffectMs(before);
    return isOther ? null : importedDocument(config, before, given, nowMs);
  });
  if (isOther) return null;
  await tellBinds(env, after, nowMs);
  return after;
}
