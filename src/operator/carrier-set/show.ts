import { bindStandings } from "../../carriers/smpp.ts";
import { carrierSetting } from "../../carriers/stored.ts";
import type { StoredCarrier } from "../../carriers/stored.ts";
import { builtInSetups, callbackUrl } from "../../carriers/table.ts";
import { configOf } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import type { CarrierSetup } from "../../model/carrier/carrier.ts";
import type { SettingWaits } from "../../kept/setting.ts";

/** A carrier as the operator sees it: of its secrets only the names. */
export interface ShownCarrier {
  name: string;
  kind: string;
  settings: object;
  secrets: string[];
  tps: number | null;
  /** Whether the settings of the deployment make it. */
  builtin: boolean;
  callbackUrl: string | null;
  /** In ms; null of a built-in one. */
  createdAt: number | null;
  updatedAt: number | null;
}

/** A carrier that was set up by the operator. */
export function showStored(config: Config, carrier: StoredCarrier): ShownCarrier {
  const { name, kind, settings, secrets, tps, createdAt, updatedAt } = carrier;
  const url = callbackUrl(config, name, kind);
  const names = Object.keys(secrets).toSorted();
  return { name, kind, settings, secrets: names, tps, builtin: false, callbackUrl: url, createdAt, updatedAt };
}

function showBuiltIn(config: Config, { name, kind, settings, secrets, tps }: CarrierSetup): ShownCarrier {
  const times = { createdAt: null, updatedAt: null };
  const url = callbackUrl(config, name, kind);
  return {
    name,
    kind,
    settings: { ...(settings as object) },
    secrets: Object.keys(secrets),
    tps,
    builtin: true,
    callbackUrl: url,
    ...times,
  };
}

/** How the connections of a carrier over SMPP stand (contract §16.1); undefined of other kinds. */
export async function bindsOf(env: Env, { name, kind, settings }: ShownCarrier) {
  const count = kind === "smpp" && "binds" in settings ? Number(settings.binds) : 0;
  return count > 0 ? bindStandings(env, name, count) : undefined;
}

/**
 * A callback address for those who may not change carriers: without its token, with which receipts could be forged, and
 * those refund messages.
 */
export const withoutToken = (url: string | null): string | null =>
  url?.replace(/(\/callbacks\/[^/]+\/).+$/u, "$1***") ?? null;

/** All carriers by their names, the built-in ones among them, as they are stored. */
export async function allCarriers(env: Env, ctx: SettingWaits): Promise<ShownCarrier[]> {
  const config = configOf(env);
  const { carriers } = await carrierSetting.stored(env, ctx);
  const builtIn = builtInSetups(config).map((setup) => showBuiltIn(config, setup));
  const all = [...builtIn, ...carriers.map((one) => showStored(config, one))];
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** A page of them, after the one with a name. */
export async function carrierPage(env: Env, ctx: SettingWaits, after: string | undefined, limit: number) {
  const rest = (await allCarriers(env, ctx)).filter(({ name }) => after === undefined || name > after);
  const page = rest.slice(0, limit);
  return { page, next: rest.length > limit ? (page.at(-1)?.name ?? null) : null };
}

/** The routes as they are stored. */
export const storedRoutes = async (env: Env, ctx: SettingWaits) => (await carrierSetting.stored(env, ctx)).routes;

/** The whole set without any secret, in the form in which it can be imported. */
export async function exportedSet(env: Env, ctx: SettingWaits) {
  const { carriers, routes } = await carrierSetting.stored(env, ctx);
  const shown = carriers.map(({ name, kind, settings, secrets, tps }) => {
    return { name, kind, settings, secrets: Object.keys(secrets).toSorted(), tps };
  });
  return { carriers: shown, routes };
}
