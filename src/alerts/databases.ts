import { databaseFill } from "../db/health/fill.ts";
import { endAlert, raiseAlert } from "./alerts.ts";

// Databases that fill up. What is full takes no row more: history then waits in its accounts, and people cannot sign in.

/** The share of its size at which a database is reported: early enough to bind another one. */
const FILL_MAX = 0.7;

/** Begins an alert for each database that is nearly full, and ends it for each that is not any more. */
export async function watchDatabases(env: Env, nowMs: number): Promise<void> {
  for (const { name, bytes, max } of await databaseFill(env)) {
    if (bytes === null) continue;
    if (bytes < FILL_MAX * max) await endAlert(env, "database_fill", name, { nowMs });
    else {
      const values = { bytes, max, percent: Math.floor((100 * bytes) / max) };
      await raiseAlert(env, { kind: "database_fill", subject: name, values }, nowMs);
    }
  }
}

/** An unbound database is reported at most so often by each isolate, in ms: every batch for it meets the same. */
const UNBOUND_GAP_MS = 60_000;

const reportedAt = new Map<string, number>();

/** Reports that accounts have their history in a database that is not bound. Never throws. */
export async function reportUnbound(env: Env, name: string, nowMs: number): Promise<void> {
  const sinceMs = nowMs - (reportedAt.get(name) ?? -Infinity);
  if (sinceMs >= 0 && sinceMs < UNBOUND_GAP_MS) return;
  reportedAt.set(name, nowMs);
  await raiseAlert(env, { kind: "history_unbound", subject: name, values: {} }, nowMs);
}
