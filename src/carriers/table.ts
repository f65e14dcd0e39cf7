import type { Config } from "../config/settings.ts";
import type { Mode } from "../model/ref.ts";
import type { Carrier } from "./carrier.ts";
import { httpCarrier } from "./http.ts";
import { simCarrier } from "./sim.ts";

/** Every carrier, by the name that is used in CARRIER and in a message's row. */
const CARRIERS: Record<Config["CARRIER"], (config: Config) => Carrier> = {
  sim: () => simCarrier,
  http: httpCarrier,
};

/** The carrier of this deployment; test keys always go to the simulator (contract §4). */
export function carrierFor(config: Config, mode: Mode): Carrier {
  return mode === "test" ? simCarrier : CARRIERS[config.CARRIER](config);
}

/** The carrier with this name, which a message's row holds; null when it does not exist. */
export function carrierNamed(config: Config, name: string): Carrier | null {
  return Object.hasOwn(CARRIERS, name) ? CARRIERS[name as Config["CARRIER"]](config) : null;
}
