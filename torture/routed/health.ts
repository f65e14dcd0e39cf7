import { operator } from "../books.ts";
import type { Log } from "../log.ts";

// How the carriers stand, as the operator sees it: asked all the time, and logged.

const EVERY_MS = 500;

interface Shown {
  name: string;
  callback_url: string;
  health: { state: "up" | "trial" | "out"; since: string } | null;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The carriers; null while the service does not answer. */
export async function carriersNow(): Promise<Shown[] | null> {
  const reply = await operator("GET", "/carriers").catch(() => null);
  return reply?.status === 200 ? (reply.body.data as Shown[]) : null;
}

/** Asks until the run is closed. */
export async function watchHealth(log: Log, isClosed: () => boolean): Promise<void> {
  while (!isClosed()) {
    const askedAt = Date.now();
    const shown = await carriersNow();
    const known = (shown ?? []).flatMap(({ name, health }) => (health ? [{ name, ...health }] : []));
    const states = shown && Object.fromEntries(known.map(({ name, state }) => [name, state]));
    log.append({ t: "health", askedAt, states, since: Object.fromEntries(known.map((one) => [one.name, one.since])) });
    await pause(EVERY_MS);
  }
}
