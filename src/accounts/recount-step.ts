import type { Difference, Recounted } from "../model/account.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { checkArchives } from "./archives.ts";

// One step of the recount of an object: a page of what it holds, and after these some files of its archive.

/** Cursors in the archive: this, the differences found in it so far, and its own place. */
const ARCHIVE = /^archive:(\d{1,9}):((?:\d{1,16}\.-?\d{1,16}\.-?\d{1,16})?)$/u;

const archiveCursor = (found: number, after: string) => `archive:${found}:${after}`;

/** What checking some files of an archive costs, in pages: they are unpacked, and each line is read. */
const ARCHIVE_COST = 20;

export interface Step {
  differences: Difference[];
  /** Differences found so far in this part: in the object's rows, or in its archive. */
  found: number;
  part: "rows" | "archive";
  /** The number of the last entry that was checked in the rows. */
  seq: number;
  /** The cursor of the next step, which may be in the next part; null at the end. */
  next: string | null;
  /** Whether the part ended with this step. */
  isEnd: boolean;
  /** In pages. */
  cost: number;
}

async function archiveStep(env: Env, ref: AccountRef, before: number, after: string): Promise<Step | null> {
  const checked = await checkArchives(env, ref, after === "" ? null : after);
  if (!checked) return null;
  const { differences, next } = checked;
  const found = before + differences.length;
  const cursor = next === null ? null : archiveCursor(found, next);
  return { differences, found, part: "archive", seq: 0, next: cursor, isEnd: next === null, cost: ARCHIVE_COST };
}

/**
 * One step. `full`: all rows, and not only those since they were found right; `archive`: the files, too, where there are
 * some. Null: the account was never opened. `unreadable`: `cursor` is none.
 */
export async function recountStep(
  env: Env,
  ref: AccountRef,
  cursor: string | null,
  { full, archive }: { full: boolean; archive: boolean },
): Promise<Step | "unreadable" | null> {
  const [inArchive, before, after = ""] = ARCHIVE.exec(cursor ?? "") ?? [];
  if (inArchive !== undefined) return archiveStep(env, ref, Number(before), after);
  const page: Recounted | "unreadable" | null = await objectOf(env, ref).recount({ cursor, full });
  if (page === null || page === "unreadable") return page;
  const { differences, found, seq, isArchived } = page;
  const rest = archive && isArchived ? archiveCursor(0, "") : null;
  return { differences, found, part: "rows", seq, next: page.next ?? rest, isEnd: page.next === null, cost: 1 };
}
