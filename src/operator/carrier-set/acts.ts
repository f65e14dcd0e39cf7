import type { StoredCarrier } from "../../carriers/stored.ts";
import type { ReportedAct } from "../../model/audit.ts";
import type { GivenCarrier } from "./read.ts";
import type { TriedOut } from "./try-out.ts";

// How the audit trail records what is done to carriers, on the desk as by the API.

/** A carrier that was set up: of its secrets the names of those that were given. */
export function carrierSetAct({ name, kind, tps }: StoredCarrier, given: GivenCarrier): ReportedAct {
  const secrets = Object.keys(given.secrets ?? {}).join(" ");
  return { action: "carrier.set", subject: name, details: { kind, tps, ...(secrets !== "" && { secrets }) } };
}

/** A test message: of its number the last four digits. */
export const carrierTestedAct = (name: string, to: string, { outcome, code }: TriedOut): ReportedAct => ({
  action: "carrier.tested",
  subject: name,
  details: { to: `…${to.slice(-4)}`, outcome, code },
});
