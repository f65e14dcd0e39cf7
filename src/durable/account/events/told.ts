import { EVENT_OF_STATE } from "../../../model/event.ts";
import type { EventMessage, MessageEvent } from "../../../model/event.ts";
import type { MessageState, Operation } from "../../../model/message.ts";
import { attemptsMade } from "../message/states.ts";
import type { Message } from "../message/states.ts";

// Which changes of a job's messages are events, and how the job's row keeps those that are in no page of the feed yet.

/** What an event tells of a message's job. */
export interface ToldJob {
  seq: number;
  requestId: string;
  operation: Operation;
  charge: number;
  secretId: number;
  createdAt: number;
}

type Entry = NonNullable<Message["log"]>[number];

/** One event, without what it shares with its job. */
type Change = Pick<EventMessage, "state" | "errorCode" | "refunded" | "attempts" | "to"> & {
  index: number;
  at: number;
};

function eventOf({ seq, requestId, operation, charge, secretId }: ToldJob, change: Change): MessageEvent | null {
  const { index, at, ...message } = change;
  const type = EVENT_OF_STATE[change.state];
  return type && { type, at, message: { place: { seq, index, secretId }, requestId, operation, charge, ...message } };
}

/** A message as it stands, as the event of an entry of its log. */
function changeOf(index: number, message: Message, [state, at]: Entry): Change {
  // An entry that another one follows has no reason any more: the message has only that of its present state.
  const errorCode = message.state === state ? (message.code ?? null) : null;
  const { to, refunded = false } = message;
  return { index, at, state, errorCode, refunded, attempts: attemptsMade(message), to };
}

const isSame = ([state, at]: Entry, other: Entry | undefined) => other?.[0] === state && other[1] === at;

/**
 * The entries of a log that one before it does not have. A claim that was given back takes its entry out again; a late
 * report puts attempts in before entries that were there.
 */
function newEntries({ log: known = [] }: Message, { log = [] }: Message): Entry[] {
  const from = log.findIndex((entry, place) => !isSame(entry, known[place]));
  if (from < 0) return [];
  const before = known.slice(from);
  return log.slice(from).filter((entry) => {
    const place = before.findIndex((one) => isSame(one, entry));
    if (place >= 0) before.splice(0, place + 1);
    return place < 0;
  });
}

/**
 * The events of one change of a job. Every entry that comes into a timeline is one if its state is; a `submitted` that the
 * same change replaces is left out (contract §14).
 */
export function eventsBetween(job: ToldJob, before: readonly Message[], after: readonly Message[]): MessageEvent[] {
  return after.flatMap((message, index) => {
    const known = before[index];
    if (!known || known === message) return [];
    const told = newEntries(known, message).filter(([state]) => EVENT_OF_STATE[state] !== null);
    return told.flatMap((entry, place) => {
      if (entry[0] === "submitted" && place < told.length - 1) return [];
      return eventOf(job, changeOf(index, message, entry)) ?? [];
    });
  });
}

/** The event of a message's newest state that is one, if it came after a time in ms; for changes that were told of by none. */
export function newestEvent(job: ToldJob, index: number, message: Message, afterMs: number): MessageEvent | null {
  const entry = message.log?.findLast(([state]) => EVENT_OF_STATE[state] !== null);
  return entry && entry[1] > afterMs ? eventOf(job, changeOf(index, message, entry)) : null;
}

/** Events of messages with the same fate: their places, state, time since the job was stored, attempts, refund, reason. */
type Group = [indexes: number[], state: MessageState, ms: number, attempts: number, refunded: 0 | 1, code?: string];

/** The column `told` for these events of one job, in their order; null where there is none. */
export function encodeTold(events: readonly MessageEvent[], createdAt: number): string | null {
  const groups: Group[] = [];
  let fate = "";
  for (const { at, message } of events) {
    const { state, attempts, refunded, errorCode, place } = message;
    const group: Group = [[place.index], state, at - createdAt, attempts, refunded ? 1 : 0];
    if (errorCode !== null) group.push(errorCode);
    // Only with the one just before: a message's events stay in their order.
    const own = JSON.stringify(group.slice(1));
    if (own === fate) groups.at(-1)?.[0].push(place.index);
    else groups.push(group);
    fate = own;
  }
  return groups.length > 0 ? JSON.stringify(groups) : null;
}

/** Reads the column `told`. */
export function decodeTold(told: string, job: ToldJob & { messages: readonly Message[] }): MessageEvent[] {
  return (JSON.parse(told) as Group[]).flatMap(([indexes, state, ms, attempts, refunded, code]) =>
    indexes.flatMap((index) => {
      const to = job.messages[index]?.to ?? "";
      const at = job.createdAt + ms;
      const change = { index, at, state, errorCode: code ?? null, refunded: refunded === 1, attempts, to };
      return eventOf(job, change) ?? [];
    }),
  );
}
