import { readCursor, writeCursor } from "../db/cursors.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { beginWalk, walkOn } from "./walk.ts";
import type { Walk } from "./walk.ts";

// After history lost rows, as by a restore of its database, the accounts fill it again: each has what it sent.

/** A walk that an operator begins, over all accounts in the list. */
const WALK: Walk = { name: "rebuild history", everyMs: null, perRun: 100, watched: false };

/** Which database the walk is for: its number, or all of them. */
const WHICH = "rebuild history of database";
const ALL = "all";

/** Lets an account record all its history again, beginning at once; null where it was never opened. */
export async function rebuildHistory(env: Env, ref: AccountRef): Promise<boolean | null> {
  return objectOf(env, ref).rebuildHistory(null);
}

/**
 * Begins to let all accounts of a database of history record everything again (null: those of all databases), some of them
 * in each run of the periodic work. Where that is under way for another database, it begins anew for all of them.
 */
export async function beginRebuild(env: Env, database: number | null, nowMs: number): Promise<void> {
  const wanted = database === null ? ALL : String(database);
  const underWay = await readCursor(env.DB, WHICH);
  await writeCursor(env.DB, WHICH, underWay === null || underWay === wanted ? wanted : ALL);
  await beginWalk(env, WALK, nowMs);
}

/** Goes on with what `beginRebuild` began; the scheduled handler calls it. */
export async function rebuildSome(env: Env, nowMs: number): Promise<void> {
  const which = await readCursor(env.DB, WHICH);
  if (which === null) return;
  const database = which === ALL ? null : Number(which);
  const visited = await walkOn(env, WALK, nowMs, async (ref) => {
    await objectOf(env, ref).rebuildHistory(database);
  });
  if (visited < WALK.perRun) await writeCursor(env.DB, WHICH, null);
}
