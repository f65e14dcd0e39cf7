import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Permits, PermitsAsked, Seen } from "../../src/model/pace.ts";
import type { LaneJob } from "../../src/queues/jobs.ts";

// What stands around delivery in tests: accounts whose calls are counted, a paced carrier, and queues that are read.

type Method = (...asked: never[]) => Promise<unknown>;

/** Counts the calls of accounts; methods in `instead` replace the objects' own, for one account or for all. */
export function watchAccounts(instead: Record<string, Method> = {}, only?: { name: string }) {
  const calls: string[] = [];
  const getByName = (name: string) => {
    const stub = env.ACCOUNT.getByName(name) as unknown as Record<string, Method>;
    const get = (_: object, method: string) => {
      if (method === "then") return;
      return (...asked: never[]) => {
        calls.push(method);
        const other = only === undefined || only.name === name ? instead[method] : undefined;
        return other ? other(...asked) : stub[method]?.(...asked);
      };
    };
    return new Proxy({}, { get });
  };
  return { ACCOUNT: { getByName } as unknown as Env["ACCOUNT"], calls };
}

/** An error that an object throws which is busy: it must not be called again now. */
export const overloaded = () => Promise.reject(Object.assign(new Error("overloaded"), { overloaded: true }));

/** An error after which the object may be called again. */
export const away = () => Promise.reject(new Error("the object is away"));

/** A pacing object whose permits the test decides; by default as many as are asked for, at once. */
export function watchPace(permits: (asked: PermitsAsked) => Partial<Permits> = () => ({})) {
  const asked: PermitsAsked[] = [];
  const seen: Seen[] = [];
  const pace = {
    take: async (question: PermitsAsked): Promise<Permits> => {
      asked.push(question);
      const nowMs = Date.now();
      const atMs = Array.from({ length: question.max }, () => nowMs);
      return { atMs, nowMs, againMs: 0, quietMs: 0, isLimited: false, ...permits(question) };
    },
    tell: async (told: Seen) => void seen.push(told),
    listen: async () => 0,
  };
  return { PACE: { getByName: () => pace } as unknown as Env["PACE"], asked, seen };
}

/** The pace of a carrier that takes `perSec` a second: permits are dated, and up to four seconds ahead. */
export function pacedAt(perSec: number) {
  let nextMs = 0;
  return watchPace(({ max }) => {
    const nowMs = Date.now();
    nextMs = Math.max(nextMs, nowMs);
    const count = Math.max(0, Math.min(max, Math.floor(((nowMs + 4_000 - nextMs) * perSec) / 1_000)));
    const atMs = Array.from({ length: count }, (_, nth) => nextMs + (nth * 1_000) / perSec);
    nextMs += (count * 1_000) / perSec;
    return { atMs, againMs: count > 0 ? 0 : 1_000, isLimited: true };
  });
}

interface Queued {
  body: LaneJob;
  delaySeconds?: number;
}

/** A gateway that takes everything; `answer` may be replaced. Restored with all mocks. */
export function watchGateway() {
  const gateway = {
    /** What it received: references, with the times. */
    got: [] as { ref: string; at: number }[],
    answer: (_ref: string): Response | Promise<Response> => Response.json({}),
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const { ref } = JSON.parse(await new Response(init?.body ?? null).text()) as { ref: string };
    gateway.got.push({ ref, at: Date.now() });
    return gateway.answer(ref);
  });
  return gateway;
}

/** The lanes' queues of an environment, without delivery: what was sent to them. */
export function watchLanes(sendBatch?: () => Promise<void>) {
  const sent: Queued[] = [];
  const lane = {
    sendBatch: async (messages: Iterable<Queued>) => {
      await sendBatch?.();
      sent.push(...messages);
    },
  } as unknown as Queue;
  const bodies = () => sent.map(({ body }) => body);
  // Queues of their own: each isolate has one batcher for each.
  return { lanes: { OTP_LANE: { ...lane }, SINGLE_LANE: { ...lane }, BULK_LANE: { ...lane } }, sent, bodies };
}

/** How long a pacing object and what the operator stored may take to answer, in ms; those of tests answer. */
const BOUNDS_MS: ReadonlySet<number | undefined> = new Set([5_000, 500]);

/** Waits advance the clock instead of sleeping; the clock must be faked. Returns what shows the waits so far, in ms. */
export function waitByClock(): () => number[] {
  const { mock } = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    if (BOUNDS_MS.has(ms)) return new Promise(() => undefined);
    vi.setSystemTime(Date.now() + ms);
  });
  return () => mock.calls.map(([ms]) => ms);
}
