import type { Evidence } from "../evidence.ts";
import type { Proof } from "../proof.ts";
import { attemptsAreRouted, oneCarrierEach } from "./attempts.ts";
import { breakersHold } from "./breakers.ts";
import { routesWereExercised } from "./exercised.ts";
import { strangersChangeNothing } from "./strangers.ts";
import { timelinesAreSeen } from "./timelines.ts";

/** The properties of a run with several carriers; none of a run with the gateway alone. */
export function routedProofsOf(evidence: Evidence): Proof[] {
  const { routing } = evidence;
  if (!routing) return [];
  return [
    oneCarrierEach(evidence),
    attemptsAreRouted(evidence, routing),
    breakersHold(evidence, routing),
    timelinesAreSeen(evidence, routing),
    strangersChangeNothing(evidence, routing),
    routesWereExercised(evidence, routing),
  ];
}
