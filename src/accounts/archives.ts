import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import { faultOf } from "../archive/verify.ts";
import { objectName } from "../crypto/ids.ts";
import { readCursor, writeCursor } from "../db/cursors.ts";
import { accountsAfter } from "../db/account-list.ts";
import { logProblem } from "../log.ts";
import type { Difference } from "../model/account.ts";
import { archiveKeys, archiveName, readArchiveName } from "../model/archive.ts";
import type { ArchivePage, ArchiveState, Manifest } from "../model/archive.ts";
import type { AccountRef, Mode } from "../model/ref.ts";
import { objectOf } from "../objects.ts";

// The archive's files, as the operator and their owner see them; their verification; and the walk over all accounts that
// lets each of them archive what is old. An account at rest has no alarm, so it has to be asked.

/** Files of an account after the one with this first number, oldest first; null where the account was never opened. */
export async function archivesOf(env: Env, ref: AccountRef, after: number, limit: number): Promise<ArchivePage | null> {
  return objectOf(env, ref).archives(after, limit);
}

/** The file or the manifest with this name, as it is stored; null where the account has none. */
export async function archiveNamed(env: Env, ref: AccountRef, name: string): Promise<R2ObjectBody | null> {
  const asked = readArchiveName(name);
  if (!asked) return null;
  // The account says what is archived: an unfinished run may have left a file, too.
  const page = await archivesOf(env, ref, asked.first - 1, 1);
  const manifest = page?.manifests[0];
  if (!manifest || manifest.first !== asked.first) return null;
  if (!name.startsWith(archiveName(manifest).replace(/ndjson\.gz$/u, ""))) return null;
  return env.ARCHIVE.get(archiveKeys(objectName(ref), manifest)[asked.part]);
}

/** What is wrong with one file that the account has noted; null where nothing is. */
async function faultOfStored(env: Env, ref: AccountRef, manifest: Manifest): Promise<string | null> {
  const keys = archiveKeys(objectName(ref), manifest);
  const [file, beside] = await Promise.all([env.ARCHIVE.get(keys.file), env.ARCHIVE.get(keys.manifest)]);
  if (!file) return "the file is missing";
  if ((await beside?.text()) !== JSON.stringify(manifest)) return "the manifest beside the file is another one";
  return faultOf(new Uint8Array(await file.arrayBuffer()), manifest);
}

/** What a check of archives found, and where the next one goes on. */
export interface CheckedArchives {
  differences: Difference[];
  /** The place for the next call; null at the end. */
  next: string | null;
}

/** Files that one check reads: up to some 8 MB of lines each, one after the other. */
const CHECKED_MAX = 5;

/**
 * Verifies files of an account against their manifests, and that their numbers and balances continue each other from the
 * account's first entry to its checkpoint. `after`: the `next` of the call before. Null where the account was never opened.
 */
export async function checkArchives(
  env: Env,
  ref: AccountRef,
  after: string | null = null,
): Promise<CheckedArchives | null> {
  const [first = 0, seq = 0, balance = 0] = (after ?? "").split(".").map(Number);
  const page = await archivesOf(env, ref, first, CHECKED_MAX);
  if (!page) return null;
  const differences: Difference[] = [];
  const note = (detail: string) => void differences.push({ kind: "archive", detail });
  const end = { seq, balance };
  for (const manifest of page.manifests) {
    const name = archiveName(manifest);
    if (manifest.first !== end.seq + 1) note(`${name} begins at ${manifest.first}, and not at ${end.seq + 1}`);
    if (manifest.balanceBefore !== end.balance) {
      note(`${name} begins with ${manifest.balanceBefore}, and not with ${end.balance}`);
    }
    const fault = await faultOfStored(env, ref, manifest);
    if (fault !== null) note(`${name}: ${fault}`);
    end.seq = manifest.last;
    end.balance = manifest.balanceAfter;
  }
  const last = page.manifests.at(-1);
  if (page.hasMore && last) return { differences, next: `${last.first}.${end.seq}.${end.balance}` };
  const { checkpoint } = page;
  // In test mode there are no files; and while a run deletes, the checkpoint is within the last of them.
  const isBehind = last !== undefined && checkpoint.seq < end.seq && checkpoint.seq >= last.first - 1;
  const isEqual = checkpoint.seq === end.seq && checkpoint.balance === end.balance;
  if (ref.mode === "live" && !isEqual && !isBehind) {
    note(
      `the files end at ${end.seq} with ${end.balance}, the checkpoint is ${checkpoint.seq} with ${checkpoint.balance}`,
    );
  }
  return { differences, next: null };
}

/** Accounts that one run of the housekeeping asks: all of some 50,000 in a day. */
const ASKED_PER_RUN = 200;

/** Accounts that are asked at once. */
const AT_ONCE = 10;

const CURSOR = "archive";
const MODES: readonly Mode[] = ["live", "test"];

async function planOne(env: Env, ref: AccountRef): Promise<void> {
  const subject = objectName(ref);
  try {
    const state: ArchiveState | null = await objectOf(env, ref).archive();
    if (!state) return;
    const { failures, problem } = state;
    if (failures > 0) await raiseAlert(env, { kind: "archive_failed", subject, values: { failures, problem } });
    else await endAlert(env, "archive_failed", subject);
  } catch (failure) {
    logProblem("archive of an account", failure);
  }
}

/**
 * Asks the next accounts to plan the archive of what is old, and raises or ends their alerts. One walk over all accounts
 * takes a day at least, since each plans one run a day at most.
 */
export async function planArchives(env: Env, nowMs: number): Promise<void> {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const [day = "", after = ""] = ((await readCursor(env.DB, CURSOR)) ?? "").split(" ");
  // At its end, the walk rests until the next day.
  if (after === "end" && day === today) return;
  const refs = await accountsAfter(env.DB, after === "end" ? "" : after, ASKED_PER_RUN);
  for (let at = 0; at < refs.length; at += AT_ONCE) {
    const some = refs.slice(at, at + AT_ONCE).flatMap(({ accountId }) => MODES.map((mode) => ({ accountId, mode })));
    await Promise.all(some.map((ref) => planOne(env, ref)));
  }
  const begun = after === "" || after === "end" ? today : day;
  const place = refs.length < ASKED_PER_RUN ? "end" : (refs.at(-1)?.accountId ?? "end");
  await writeCursor(env.DB, CURSOR, `${begun} ${place}`);
}
