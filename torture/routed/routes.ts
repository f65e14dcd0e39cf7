import { operator } from "../books.ts";
import type { Log } from "../log.ts";
import { between, oneOf, pauseMs, randomOf, shuffled } from "../random.ts";
import type { Random } from "../random.ts";

// Routes, and how the operator changes them under load. Each change is logged before it is asked for, and once it is done.

export interface Route {
  operations?: string[];
  to?: string[];
  carriers: { name: string; weight: number }[];
  fallback?: string[];
}

/** The names of the carriers: the deployment's own gateway, one by configuration, one over SMPP. */
export const HTTP = "http";
export const TEMPLATE = "acme";
export const SMPP = "centre";
/** It is set up, takes what comes, and stands in no route. */
export const SPARE = "spare";
const ALL = [HTTP, TEMPLATE, SMPP] as const;

const AGAIN_MS = 300;
/** Mean time between two changes. */
const CHANGE_MS = 3_500;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Some carriers with weights, and all or some of the others as fallbacks. */
function drawn(random: Random, among: readonly string[]): Pick<Route, "carriers" | "fallback"> {
  const names = shuffled(random, among);
  const first = names.slice(0, between(random, 1, names.length));
  const rest = names.slice(first.length).filter(() => random() < 0.8);
  const carriers = first.map((name, nth) => ({
    name,
    weight: nth === 0 ? between(random, 1, 5) : between(random, 0, 5),
  }));
  return { carriers, ...(rest.length > 0 && { fallback: rest }) };
}

/**
 * Random routes: calls have the gateway alone, Germany never the carrier by configuration, Italy never the one over SMPP,
 * and one carrier is left out now and then. Empty: no routes at all.
 */
export function drawRoutes(random: Random): Route[] {
  if (random() < 0.12) return [];
  const out = random() < 0.3 ? oneOf(random, ALL) : null;
  const but = (...names: string[]) => ALL.filter((name) => name !== out && !names.includes(name));
  return [
    { operations: ["tts", "voice"], carriers: [{ name: HTTP, weight: 1 }] },
    { to: ["DE"], ...drawn(random, but(TEMPLATE)) },
    { to: ["+39"], ...drawn(random, but(SMPP)) },
    { operations: ["otp"], to: ["IN"], ...drawn(random, but()) },
    { to: random() < 0.5 ? ["*"] : ["+91"], ...drawn(random, but()) },
  ];
}

export interface OperatorOptions {
  seed: string;
  log: Log;
  /** No further attempts from then on. */
  isClosed: () => boolean;
}

/** The operator's changes of carriers and routes, one at a time. */
export class RouteKeeper {
  readonly #options: OperatorOptions;
  #count = 0;
  /** Changes wait for one another. */
  #before: Promise<void> = Promise.resolve();
  current: Route[] = [];

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /** Replaces all routes; resolves once that is done. */
  put(routes: Route[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#until("routes", { routes }, () => operator("PUT", "/routes", { routes }));
      this.current = routes;
    });
  }

  /** Sets a carrier up. */
  setUp(name: string, setup: object): Promise<void> {
    return this.#inTurn(() => this.#until("set up", { name }, () => operator("PUT", `/carriers/${name}`, setup)));
  }

  /** Deletes a carrier that stands in no route, and sets it up again. */
  replace(name: string, setup: object): Promise<void> {
    return this.#inTurn(async () => {
      await this.#until("delete", { name }, () => operator("DELETE", `/carriers/${name}`), [200, 404]);
      await this.#until("set up", { name }, () => operator("PUT", `/carriers/${name}`, setup));
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return (this.#before = this.#before.then(work));
  }

  async #until(t: string, what: object, ask: () => Promise<{ status: number }>, done = [200]): Promise<void> {
    const { log, isClosed } = this.#options;
    const id = (this.#count += 1);
    log.append({ t, id, ...what });
    while (!isClosed()) {
      const reply = await ask().catch(() => null);
      if (reply && done.includes(reply.status)) return log.append({ t: "done", id });
      if (reply && reply.status < 500) {
        const text = JSON.stringify((reply as { body?: object }).body ?? {});
        throw new Error(`the operator's ${t} was answered ${reply.status}: ${text}`);
      }
      await pause(AGAIN_MS);
    }
  }

  /** Changes the routes again and again, until the run is over; a carrier that is in none may be deleted and set up anew. */
  async keepChanging(isOver: () => boolean, setups: Record<string, () => object>): Promise<void> {
    const random = randomOf(this.#options.seed, "routes");
    while (!isOver()) {
      const routes = drawRoutes(random);
      await this.put(routes);
      const named = new Set(
        routes.flatMap(({ carriers, fallback = [] }) => [...carriers.map(({ name }) => name), ...fallback]),
      );
      const [unused] = shuffled(random, Object.keys(setups)).filter((name) => !named.has(name));
      const waitMs = 500 + pauseMs(random, CHANGE_MS);
      if (unused !== undefined && random() < 0.5) await this.replace(unused, setups[unused]?.() ?? {});
      await pause(waitMs);
    }
  }
}
