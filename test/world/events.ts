import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { reportNews } from "../../src/durable/account/delivery.ts";
import { forgetFeed } from "../../src/durable/account/events/memory.ts";
import { beginTurn } from "../../src/durable/account/turn.ts";
import { EVENT_OF_STATE } from "../../src/model/event.ts";
import type { AccountEvent, EventPage } from "../../src/model/event.ts";
import type { MessageView, News } from "../../src/model/message.ts";
import { bearer, call, claim, sendSms } from "./world.ts";
import type { World } from "./world.ts";

// An account's events, as one who reads them sees them.

/** Kills the object: what is in its memory is lost, and so is every timer. What it answered before is stored. */
export async function kill(world: World): Promise<void> {
  await runInDurableObject(world.stub, (_, ctx) => ctx.abort("killed by a test")).catch(() => undefined);
  // The stub of an object that was killed stays broken.
  world.stub = env.ACCOUNT.getByName(world.name);
}

/** Asks the account for its events the first time, which begins them. */
export async function beginEvents({ stub }: World): Promise<void> {
  expect(await stub.events(null, 100)).toEqual({ ok: true, events: [], last: 0 });
}

/** One page of events; fails where there is none to be had. */
export async function pageAfter({ stub }: World, after: number, limit = 500): Promise<AccountEvent[]> {
  const page: EventPage | null = await stub.events(after, limit);
  if (!page?.ok) throw new Error(`no page: ${JSON.stringify(page)}`);
  return page.events;
}

/** Every event after a number, page by page. */
export async function eventsOf(world: World, after = 0): Promise<AccountEvent[]> {
  const all: AccountEvent[] = [];
  for (;;) {
    const page = await pageAfter(world, after + all.length);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** What an event tells, in short: `delivered 2.0`, or the type of one that is not of a message. */
export const inShort = (event: AccountEvent): string =>
  "message" in event ? `${event.message.state} ${event.message.place.seq}.${event.message.place.index}` : event.type;

/** What the messages' timelines say of events that one could have: each state that is one, in order. */
export const statesToTell = ({ timeline }: MessageView): string[] =>
  timeline.map(({ state }) => state).filter((state) => EVENT_OF_STATE[state] !== null);

/**
 * Fails where the events do not tell every message's timeline, in order, once. A `submitted` may be left out, and an
 * `unknown` may be told that is in no timeline any more: its claim was given back unused.
 */
export function expectTold(events: readonly AccountEvent[], messages: readonly MessageView[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  const told = Map.groupBy(
    events.flatMap((event) => ("message" in event ? [event] : [])),
    ({ message: { place } }) => `${place.seq}.${place.index}`,
  );
  for (const message of messages) {
    const isThere = (state: string, at: number) => message.timeline.some((one) => one.state === state && one.at === at);
    const states = (told.get(`${message.seq}.${message.index}`) ?? [])
      .filter(({ at, message: { state } }) => state !== "unknown" || isThere(state, at))
      .map(({ message: { state } }) => state);
    const all = statesToTell(message);
    const left = all.filter((state, at) => !(state === "submitted" && at < all.length - 1 && !states.includes(state)));
    expect(states, `message ${message.seq}.${message.index}`).toEqual(left);
  }
}

/** Applies news as a release does that knows no events. */
export async function reportWithoutEvents(world: World, news: News[]): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage }) => {
    forgetFeed(storage.sql);
    storage.transactionSync(() => reportNews(beginTurn(storage.sql, { times: null }, env), news));
  });
  await kill(world);
}

/** A receipt for the only message of a job. */
export const receipt = (
  seq: number,
  state: "submitted" | "delivered" | "undelivered" | "failed",
  code?: string,
): News => ({
  kind: "receipt",
  seq,
  index: 0,
  state,
  ...(code !== undefined && { code }),
});

/** Sends an SMS and claims it; returns its job. */
export async function sendClaimed(world: World): Promise<number> {
  await sendSms(world);
  const [job] = await claim(world);
  if (!job) throw new Error("nothing was claimed");
  return job.seq;
}

/** What the object's tables have of the feed. */
export const storedFeed = ({ stub }: World) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => ({
    pages: sql.exec("SELECT first, last FROM feed ORDER BY first").toArray(),
    told: sql.exec("SELECT told FROM job WHERE told IS NOT NULL").toArray().length,
  }));

/** The address of the feed. */
export const FEED = "http://console.localhost/v1/events";

/** A page of the feed over the wire. */
export const feed = (world: Pick<World, "apiKey">, query = "") =>
  call(`${FEED}?${query}`, { headers: bearer(world.apiKey) });
