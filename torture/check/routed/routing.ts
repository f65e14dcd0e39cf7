// What the operator of several carriers changed and saw, and the timelines that customers read.

type Line = Record<string, unknown> & { t: string; at: number };

export interface Route {
  operations?: string[];
  to?: string[];
  carriers: { name: string; weight: number }[];
  fallback?: string[];
}

/** Routes that the operator set: from when they may count, and from when they certainly do. */
export interface RouteSet {
  askedAt: number;
  doneAt: number;
  routes: Route[];
}

/** How a carrier stood at one time, as the operator was told. */
export interface Standing {
  askedAt: number;
  at: number;
  states: Record<string, "up" | "trial" | "out">;
  /** Since when, by the service's clock: a carrier that was tried in vain is out since then. */
  since: Record<string, string>;
}

export interface TimelineEntry {
  state: string;
  /** By the service's clock, in ms. */
  at: number;
  attempt: number | null;
  carrier: string | null;
  code: string | null;
}

/** A message's timeline as its customer reads it. */
export interface TimelineRow {
  account: string;
  ref: string;
  timeline: { state: string; at: string; attempt?: number; carrier?: string; carrier_code?: string }[];
}

export interface Routing {
  /** In order; before the first there were none. */
  sets: RouteSet[];
  /** In order; times without an answer are left out. */
  standings: Standing[];
  /** How many binds each carrier over SMPP had, from when on. */
  binds: { at: number; carrier: string; count: number }[];
  /** Carriers that were given something although no routes name them. */
  astray: { carrier: string }[];
  timelines: { account: string; ref: string; entries: TimelineEntry[] }[];
}

/** Reads the operator's log, the binds of the carriers' log, and the timelines. */
export function readRouting(lines: Line[], carriers: Line[], timelines: TimelineRow[]): Routing {
  const sets = new Map<unknown, RouteSet>();
  const standings: Standing[] = [];
  for (const line of lines) {
    if (line.t === "routes") {
      sets.set(line["id"], { askedAt: line.at, doneAt: Infinity, routes: line["routes"] as Route[] });
    } else if (line.t === "done") {
      const set = sets.get(line["id"]);
      if (set) set.doneAt = line.at;
    } else if (line.t === "health" && line["states"]) {
      standings.push({
        askedAt: Number(line["askedAt"]),
        at: line.at,
        states: line["states"] as Standing["states"],
        since: (line["since"] ?? {}) as Standing["since"],
      });
    }
  }
  const binds = carriers
    .filter(({ t }) => t === "bound")
    .map((line) => ({ at: line.at, carrier: String(line["carrier"]), count: Number(line["binds"]) }));
  return {
    sets: [...sets.values()],
    standings,
    binds,
    astray: carriers.filter(({ t }) => t === "astray").map((line) => ({ carrier: String(line["carrier"]) })),
    timelines: timelines.map(({ account, ref, timeline }) => ({
      account,
      ref,
      entries: timeline.map(({ state, at, attempt = null, carrier = null, carrier_code: code = null }) => {
        return { state, at: Date.parse(at), attempt, carrier, code };
      }),
    })),
  };
}
