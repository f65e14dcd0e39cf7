import type { Message, Note, StoredState } from "./states.ts";

// How a job's row holds its messages. `messages` is an array of their numbers, which never changes. `lives` is what
// happened to them: messages that were claimed and reported together share one entry, and its times are small numbers.
// A row of an earlier version has whole messages in `messages`, and no `lives`. A version that knows no `cancelled` reads
// such a message as failed and refunded, and leaves it so.

const LETTERS: Record<StoredState, string> = {
  queued: "q",
  sending: "s",
  submitted: "t",
  delivered: "d",
  undelivered: "n",
  unconfirmed: "c",
  failed: "f",
  unknown: "u",
  cancelled: "f",
};
const STATES = new Map(Object.entries(LETTERS).map(([state, letter]) => [letter, state as StoredState]));
STATES.set(LETTERS.failed, "failed");

/** Everything else that is there; `cancelled`: where its states say failed, it was taken back. `notes` are of its log's entries. */
type More = Partial<Message> & { cancelled?: true; notes?: [place: number, note: Note][] };

/** Revision, claims, states with their times in ms since the job was stored, and everything else. */
type Life = [number, number, string, More?];

function lifeOf(message: Message, createdAt: number): Life {
  const { to: _to, rev = 1, attempts, state, log = [], ...more } = message;
  // Every step ends the log with the state; a row from elsewhere may not, and must be storable all the same.
  const kept: More = (log.at(-1)?.[0] ?? "queued") === state ? { ...more } : { ...more, state };
  if (log.some(([entered]) => entered === "cancelled")) kept.cancelled = true;
  const notes = log.flatMap(([, , note], place): [number, Note][] => (note ? [[place, note]] : []));
  if (notes.length > 0) kept.notes = notes;
  const states = log.map(([entered, at]) => `${LETTERS[entered]}${at - createdAt}`).join("");
  return Object.keys(kept).length === 0 ? [rev, attempts, states] : [rev, attempts, states, kept];
}

function messageOf(
  to: string,
  [rev, attempts, states, { cancelled, notes = [], ...more } = {}]: Life,
  createdAt: number,
): Message {
  const noteAt = new Map(notes);
  const log = [...states.matchAll(/([a-z])(-?\d+)/gu)].map(
    ([, letter = "", ms], place): [StoredState, number, Note?] => {
      const state = STATES.get(letter);
      if (!state) throw new Error(`no state has the letter ${letter}`);
      const note = noteAt.get(place);
      return [
        cancelled && state === "failed" ? "cancelled" : state,
        createdAt + Number(ms),
        ...(note ? [note] : []),
      ] as [StoredState, number, Note?];
    },
  );
  const state = log.at(-1)?.[0] ?? "queued";
  const message: Message = { to, state, attempts, ...more };
  if (rev > 1) message.rev = rev;
  if (log.length > 0) message.log = log;
  return message;
}

/** The column `messages` for these recipients. */
export function encodeNumbers(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(({ to }) => to));
}

/** The column `lives` for these messages. */
export function encodeLives(messages: readonly Message[], createdAt: number): string {
  const lives = new Map<string, number>();
  const which = messages.map((message) => {
    const life = JSON.stringify(lifeOf(message, createdAt));
    const known = lives.get(life) ?? lives.size;
    lives.set(life, known);
    return known;
  });
  return `[[${which.join(",")}],[${[...lives.keys()].join(",")}]]`;
}

/** Reads what either version stored. `isCompact`: the row has this version's form. */
export function decodeMessages(
  messages: string,
  lives: string | null,
  createdAt: number,
): { messages: Message[]; isCompact: boolean } {
  const stored = JSON.parse(messages) as (string | Message)[];
  const [which, all] = lives === null ? [[], []] : (JSON.parse(lives) as [number[], Life[]]);
  const read = stored.map((one, index): Message => {
    if (typeof one !== "string") return one;
    const life = all[which[index] ?? -1];
    return life ? messageOf(one, life, createdAt) : { to: one, state: "queued", attempts: 0 };
  });
  return { messages: read, isCompact: typeof stored[0] === "string" };
}
