import { bindSetup, setUpBinds } from "../../carriers/smpp.ts";
import { carrierSetting } from "../../carriers/stored.ts";
import type { CarrierDocument } from "../../carriers/stored.ts";
import { configOf } from "../../config/config.ts";
import { logProblem } from "../../log.ts";

// The binds of carriers over SMPP follow the set: their objects connect by themselves, and have to be told of a change.

const SMPP = "smpp";

/** The carriers that have binds, or had some of which receipts may come. */
const namesIn = ({ carriers, past }: CarrierDocument): string[] => [
  ...new Set([...carriers, ...past].filter(({ kind }) => kind === SMPP).map(({ name }) => name)),
];

/**
 * Sets the binds up as the set has them, and ends those of carriers that are no more, or are of another kind now. `only`:
 * of this carrier. `atMs` is a time before the set was read: a change after it is told by itself. Never throws: what could
 * not be told is told by the next `keepBinds`.
 */
export async function tellBinds(env: Env, set: CarrierDocument, atMs: number, only?: string): Promise<void> {
  const names = namesIn(set).filter((name) => only === undefined || name === only);
  const telling = names.map(async (name) => {
    const stored = set.carriers.find((one) => one.name === name && one.kind === SMPP);
    const setup = stored ? bindSetup(configOf(env), stored) : null;
    // Secrets that do not open: the object keeps what it has.
    if (stored && !setup) return;
    await setUpBinds(env, name, setup, atMs);
  });
  for (const done of await Promise.allSettled(telling)) {
    if (done.status === "rejected") logProblem("smpp binds", done.reason);
  }
}

/**
 * Tells every bind again how it is set up. It heals what broke off between the set and its objects, and what an isolate told
 * that knew an older set; and passwords are sealed anew with the SEAL_SECRET that makes.
 */
export async function keepBinds(env: Env): Promise<void> {
  const nowMs = Date.now();
  await tellBinds(env, await carrierSetting.change(env.RECORDINGS, () => null), nowMs);
}
