import { FIRST_ID } from "../crypto/secrets.ts";
import { QUARTER_MS } from "../model/usage.ts";
import type { JobGroup } from "../model/history.ts";
import { attemptsIn, timelineOf } from "../model/message.ts";
import type { Entered, MessageState, MessageView, Operation } from "../model/message.ts";
import { messageGroup } from "./history-schema.ts";

// The form of a group of messages in D1 (the table message_group): what messages share is written once, and each message
// is a short list of numbers. A message of a bulk takes about 55 bytes, a single one about 75.

const LETTERS: Record<MessageState, string> = {
  scheduled: "w",
  queued: "q",
  sending: "s",
  submitted: "a",
  delivered: "d",
  undelivered: "u",
  unconfirmed: "c",
  failed: "f",
  unknown: "k",
  cancelled: "x",
};

const STATE_OF = new Map(Object.entries(LETTERS).map(([state, letter]) => [letter, state as MessageState]));

type Count = [quarter: number, operation: Operation, messages: number];

/** What several messages of a group share. */
type Kind = [
  operation: Operation,
  charge: number,
  keyId: number | null,
  carrier: string | null,
  secretId?: number,
  segments?: number,
];
type Standing = [
  state: MessageState,
  refunded: 0 | 1,
  errorCode: string | null,
  attempts: number,
  path: string,
  notes?: Note[],
];

/** What an entry of a path says that does not follow from the path: its carrier (empty: not known) and its reason. */
type Note = [place: number, carrier: string | null, code?: string];

/**
 * A message: job − seq, index, kind, state, rev, created − firstAt, and the ms from each letter of its path to the next.
 * A path that begins with the letter of `scheduled` has the time there for when the message was ordered.
 */
type Entry = [job: number, index: number, kind: number, standing: number, rev: number, createdAt: number, ...number[]];

/** A group as the columns of its row. */
export interface PackedGroup {
  kind: 0 | 1;
  seq: number;
  rev: number;
  firstAt: number;
  lastAt: number;
  counts: Count[];
  kinds: Kind[];
  states: Standing[];
  recipients: string;
  requests: string;
  messages: Entry[];
}

/** Different values in the order in which they first occur. */
class Distinct<Value> {
  readonly values: Value[] = [];
  readonly #places = new Map<string, number>();

  place(value: Value): number {
    const key = JSON.stringify(value);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.values.length);
    this.values.push(value);
    return this.values.length - 1;
  }
}

/** How many messages of each operation were created in each quarter of an hour. */
function countsOf(messages: readonly MessageView[]): Count[] {
  const counts = new Map<string, Count>();
  for (const { createdAt, operation } of messages) {
    const quarter = Math.floor(createdAt / QUARTER_MS);
    const count = counts.get(`${quarter} ${operation}`) ?? [quarter, operation, 0];
    count[2] += 1;
    counts.set(`${quarter} ${operation}`, count);
  }
  return [...counts.values()];
}

/** What follows the carrier is left out where it is as usual: the first secret, and segments that are not known. */
function kindOf({ operation, charge, keyId, carrier, secretId, segments }: MessageView): Kind {
  if (segments !== undefined) return [operation, charge, keyId, carrier, secretId ?? FIRST_ID, segments];
  return secretId === undefined ? [operation, charge, keyId, carrier] : [operation, charge, keyId, carrier, secretId];
}

/** What a path says: the time for when a message was ordered, and its states after it was first queued. */
function pathOf(message: MessageView): { path: string; steps: number[]; notes: Note[] } {
  const { sendAt, createdAt, timeline } = message;
  const isDue = sendAt !== undefined && timeline[1]?.state === "queued" && timeline[1].at === sendAt;
  const entered = timeline.slice(isDue ? 2 : 1);
  const notes = notesOf(message, entered);
  if (sendAt === undefined) return { ...stepsOf(entered, createdAt), notes };
  return { ...stepsOf([{ state: "scheduled", at: sendAt }, ...entered], createdAt), notes };
}

/** What of the entries does not follow from their order and the message's carrier and code. */
function notesOf({ carrier, errorCode }: MessageView, entered: readonly Entered[]): Note[] {
  const usual = attemptsIn(
    entered.map(({ state, at }) => ({ state, at })),
    carrier,
    errorCode,
  );
  return entered.flatMap((entry, place): Note[] => {
    const by = entry.carrier === usual[place]?.carrier ? null : (entry.carrier ?? "");
    if (entry.code !== undefined && entry.code !== usual[place]?.code) return [[place, by, entry.code]];
    return by === null ? [] : [[place, by]];
  });
}

/** The entries with the notes of them. */
function withNotes(entered: Entered[], carrier: string | null, code: string | null, notes: readonly Note[]): Entered[] {
  const usual = attemptsIn(entered, carrier, code);
  for (const [place, by, why] of notes) {
    const entry = usual[place];
    if (!entry) continue;
    const { carrier: _usual, ...others } = entry;
    const named = by === null ? entry : by === "" ? others : { ...entry, carrier: by };
    usual[place] = why === undefined ? named : { ...named, code: why };
  }
  return usual;
}

function stepsOf(entered: MessageView["timeline"], createdAt: number): { path: string; steps: number[] } {
  return {
    path: entered.map(({ state }) => LETTERS[state]).join(""),
    steps: entered.map(({ at }, step) => at - (entered[step - 1]?.at ?? createdAt)),
  };
}

/** The row of a group that has messages; a timeline begins when the message was created. */
export function packGroup({ kind, seq, jobs, messages }: JobGroup): PackedGroup {
  const created = messages.map(({ createdAt }) => createdAt);
  const firstAt = Math.min(...created);
  const kinds = new Distinct<Kind>();
  const states = new Distinct<Standing>();
  const requests = messages.map(({ requestId }) => requestId);
  const entries = messages.map((message): Entry => {
    const { path, steps, notes } = pathOf(message);
    const { state, refunded, errorCode, attempts } = message;
    return [
      message.seq - seq,
      message.index,
      kinds.place(kindOf(message)),
      states.place([
        state,
        refunded ? 1 : 0,
        errorCode,
        attempts,
        path,
        ...(notes.length > 0 ? [notes] : []),
      ] as Standing),
      message.rev,
      message.createdAt - firstAt,
      ...steps,
    ];
  });
  return {
    kind: kind === "singles" ? 0 : 1,
    seq,
    rev: jobs.reduce((sum, { rev }) => sum + rev, 0),
    firstAt,
    lastAt: Math.max(...created),
    counts: countsOf(messages),
    kinds: kinds.values,
    states: states.values,
    recipients: messages.map(({ to }) => to).join(" "),
    requests: new Set(requests).size === 1 ? (requests[0] ?? "") : requests.join(" "),
    messages: entries,
  };
}

const { seq, firstAt, kinds, states, recipients, requests, messages } = messageGroup;

/** The columns from which a group's messages are read. */
export const GROUP_COLUMNS = { seq, firstAt, kinds, states, recipients, requests, messages };
export type GroupRow = Pick<typeof messageGroup.$inferSelect, keyof typeof GROUP_COLUMNS>;

/** The messages of a row at a time, in the order of their places. */
export function unpackGroup(row: GroupRow, nowMs: number): MessageView[] {
  const kinds = JSON.parse(row.kinds) as Kind[];
  const states = JSON.parse(row.states) as Standing[];
  const recipients = row.recipients.split(" ");
  const requests = row.requests.split(" ");
  const [sharedRequest = ""] = requests;
  return (JSON.parse(row.messages) as Entry[]).map(([job, index, kind, standing, rev, created, ...steps], place) => {
    const [operation, charge, keyId, carrier, secretId, segments] = kinds[kind] ?? ["sms", 0, null, null];
    const [state, refunded, errorCode, attempts, path, notes = []] = states[standing] ?? ["queued", 0, null, 0, ""];
    const createdAt = row.firstAt + created;
    let at = createdAt;
    const entered = [...path].map((letter, step) => {
      at += steps[step] ?? 0;
      return { state: STATE_OF.get(letter) ?? state, at };
    });
    const sendAt = entered[0]?.state === "scheduled" ? entered.shift()?.at : undefined;
    const told = withNotes(entered, carrier, errorCode, notes);
    const timeline = timelineOf({ createdAt, sendAt }, told, nowMs);
    const hasCome = state === "scheduled" && timeline.length > 1;
    return {
      seq: row.seq + job,
      index,
      ...(secretId !== undefined && secretId !== FIRST_ID && { secretId }),
      rev,
      requestId: requests.length === 1 ? sharedRequest : (requests[place] ?? ""),
      keyId,
      operation,
      to: recipients[place] ?? "",
      state: hasCome ? "queued" : state,
      charge,
      ...(segments !== undefined && { segments }),
      refunded: refunded === 1,
      carrier,
      attempts,
      errorCode,
      createdAt,
      updatedAt: timeline.at(-1)?.at ?? createdAt,
      ...(sendAt !== undefined && { sendAt }),
      timeline,
    };
  });
}
