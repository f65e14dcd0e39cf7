import { bindStandings } from "../../carriers/smpp.ts";
import type { SettingWaits } from "../../kept/setting.ts";
import { logProblem } from "../../log.ts";
import type { CarrierHealth } from "../../model/carrier/health.ts";
import { carrierHealth } from "../../queues/pace-standing.ts";
import { allCarriers } from "./show.ts";
import type { ShownCarrier } from "./show.ts";

/** A carrier of the desk's list; what is not known of it is null. */
export interface CarrierAtDesk extends ShownCarrier {
  health: CarrierHealth | null;
  /** Of SMPP. */
  binds: Awaited<ReturnType<typeof bindStandings>> | null;
}

async function bindsOf(env: Env, { name, kind, settings }: ShownCarrier): Promise<CarrierAtDesk["binds"]> {
  if (kind !== "smpp" || !("binds" in settings) || typeof settings.binds !== "number") return null;
  return bindStandings(env, name, settings.binds).catch((problem: unknown) => {
    logProblem("smpp standing", problem);
    return null;
  });
}

/** All carriers by their names, with what is known of each at the moment. */
export async function carriersAtDesk(env: Env, ctx: SettingWaits): Promise<CarrierAtDesk[]> {
  const all = await allCarriers(env, ctx);
  return Promise.all(
    all.map(async (one) => {
      const [health, binds] = await Promise.all([carrierHealth(env, one.name), bindsOf(env, one)]);
      return { ...one, health, binds };
    }),
  );
}
