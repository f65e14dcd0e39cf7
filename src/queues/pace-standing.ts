import { carrierFor } from "../carriers/table.ts";
import { configOf } from "../config/config.ts";
import type { PaceStanding } from "../model/pace.ts";

/** How the deployment's carrier stands; null where it has no pace, as the simulator. One call of the pacing object. */
export async function paceStanding(env: Env): Promise<{ carrier: string; standing: PaceStanding } | null> {
  const { name, isPaced } = carrierFor(configOf(env), "live");
  return isPaced ? { carrier: name, standing: await env.PACE.getByName(name).standing() } : null;
}
