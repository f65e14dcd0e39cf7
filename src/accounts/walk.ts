import * as z from "zod";
import { readCursor, writeCursor } from "../db/cursors.ts";
import { listAfter } from "../db/watch.ts";
import { logProblem } from "../log.ts";
import type { AccountRef } from "../model/ref.ts";

// A walk over the list of accounts, in bounded runs of the periodic work: each goes on where the one before stopped.

/** Objects that are called at once. */
const AT_ONCE = 10;

/** What is walked, and how fast. */
export interface Walk {
  /** Names the walk's cursor. */
  name: string;
  /** A walk begins so long after the one before began, in ms, or later where that takes longer; null: it is made once. */
  everyMs: number | null;
  /** Accounts, each in one mode, that one run visits. */
  perRun: number;
  /** Whether it visits only accounts that may have open work. */
  watched: boolean;
}

const ref = z.object({ accountId: z.string(), mode: z.enum(["live", "test"]) });
const place = z.object({
  /** When the walk began, in ms since the epoch. */
  since: z.number(),
  /** The last account that was visited; null before the first. */
  after: ref.nullable(),
  isOver: z.boolean(),
});
type Place = z.infer<typeof place>;

function placeOf(text: string | null): Place | null {
  try {
    return text === null ? null : place.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const write = (env: Env, name: string, at: Place | null) =>
  writeCursor(env.DB, name, at === null ? null : JSON.stringify(at));

/** Begins a walk that is made once; one that goes on begins anew. */
export function beginWalk(env: Env, { name }: Walk, nowMs: number): Promise<void> {
  return write(env, name, { since: nowMs, after: null, isOver: false });
}

/**
 * One run of a walk. `visit` is called for each account; one that fails is logged, and the walk goes on. Returns how many
 * were visited.
 */
export async function walkOn(
  env: Env,
  walk: Walk,
  nowMs: number,
  visit: (ref: AccountRef) => Promise<void>,
): Promise<number> {
  const { name, everyMs, perRun, watched } = walk;
  let at = placeOf(await readCursor(env.DB, name));
  if (everyMs === null) {
    if (at === null) return 0;
  } else if (at === null || (at.isOver && Math.abs(nowMs - at.since) >= everyMs)) {
    at = { since: nowMs, after: null, isOver: false };
  }
  if (at.isOver) return 0;
  const refs = await listAfter(env.DB, at.after, perRun, watched ? nowMs : null);
  for (let from = 0; from < refs.length; from += AT_ONCE) {
    const some = refs.slice(from, from + AT_ONCE);
    await Promise.all(
      some.map((one) =>
        visit(one).catch((problem: unknown) => logProblem(`${name} of ${one.accountId} (${one.mode})`, problem)),
      ),
    );
  }
  const isOver = refs.length < perRun;
  await write(env, name, isOver && everyMs === null ? null : { ...at, after: refs.at(-1) ?? at.after, isOver });
  return refs.length;
}
