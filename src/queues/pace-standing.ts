import { carrierFor } from "../carriers/table.ts";
import { configOf } from "../config/config.ts";
import { logProblem } from "../log.ts";
import type { CarrierHealth } from "../model/carrier/health.ts";
import type { PaceStanding } from "../model/pace.ts";
import { placeOf } from "../objects.ts";
import { paceOf } from "./pace/clients.ts";

/** How the deployment's carrier stands; null where it has no pace, as the simulator. One call of the pacing object. */
export async function paceStanding(env: Env): Promise<{ carrier: string; standing: PaceStanding } | null> {
  const { name, isPaced } = carrierFor(configOf(env), "live");
  return isPaced ? { carrier: name, standing: await env.PACE.getByName(name).standing() } : null;
}

/**
 * How a carrier does, with what this isolate saw at it and has not told. One call of its pacing object; null where that
 * does not answer.
 */
export async function carrierHealth(env: Env, carrier: string): Promise<CarrierHealth | null> {
  try {
    return await env.PACE.getByName(carrier, placeOf(env)).health(paceOf(env, carrier).untold());
  } catch (problem) {
    logProblem("health of a carrier", problem);
    return null;
  }
}
