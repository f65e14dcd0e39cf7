import { digestOf, faultOf } from "../../../archive/verify.ts";
import type { FileWriter } from "../../../archive/writer.ts";
import { archiveKeys } from "../../../model/archive.ts";
import type { ArchivePage, Manifest } from "../../../model/archive.ts";
import type { AccountRef } from "../../../model/ref.ts";
import { number, text } from "../../rows.ts";
import { checkpointOf, forgetSeal } from "./checkpoint.ts";

// The files of the archive as the account knows them: a file is written, read again and verified before it is noted, and
// only what a noted file holds is deleted.

/** The lines of a file before compression, in bytes; up to one slice more may follow. A month continues in the next file. */
export const FILE_BYTES = 6_000_000;

/** The end of a file. */
export interface Written {
  file: Uint8Array<ArrayBuffer>;
  manifest: Manifest;
}

/** Ends a file, and makes its manifest. */
export async function manifestFor(writer: FileWriter, ref: AccountRef, month: string): Promise<Written> {
  const { file, ndjson, totals } = await writer.end();
  const { accountId: account, mode } = ref;
  return { file, manifest: { version: 1, account, mode, month, ...totals, ndjson, file: digestOf(file) } };
}

async function bytesAt(bucket: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await bucket.get(key);
  if (!object) throw new Error("what was just stored in the archive is not there");
  return new Uint8Array(await object.arrayBuffer());
}

/** Stores a file and its manifest, and reads both again. Throws where what is stored is not what was written. */
export async function storeFile(bucket: R2Bucket, name: string, { file, manifest }: Written): Promise<void> {
  const keys = archiveKeys(name, manifest);
  await bucket.put(keys.file, file, { httpMetadata: { contentType: "application/gzip" } });
  const fault = await faultOf(await bytesAt(bucket, keys.file), manifest);
  if (fault !== null) throw new Error(`a file of the archive was not stored as written: ${fault}`);
  const written = JSON.stringify(manifest);
  await bucket.put(keys.manifest, written, { httpMetadata: { contentType: "application/json" } });
  const stored = new TextDecoder().decode(await bytesAt(bucket, keys.manifest));
  if (stored !== written) throw new Error("a manifest of the archive was not stored as written");
}

/** Notes a file: from now on, nothing that it holds changes. */
export function noteFile(sql: SqlStorage, manifest: Manifest): void {
  sql.exec(
    "INSERT INTO archive_file (first_seq, last_seq, manifest) VALUES (?, ?, ?)",
    manifest.first,
    manifest.last,
    JSON.stringify(manifest),
  );
  forgetSeal(sql);
}

/** Files after the one with this first number, oldest first. */
export function archivePage(sql: SqlStorage, after: number, limit: number): ArchivePage {
  const rows = sql
    .exec("SELECT manifest FROM archive_file WHERE first_seq > ? ORDER BY first_seq LIMIT ?", after, limit + 1)
    .toArray();
  const manifests = rows.slice(0, limit).map((row) => JSON.parse(text(row, "manifest")) as Manifest);
  const { seq, balance } = checkpointOf(sql);
  return { manifests, hasMore: rows.length > limit, checkpoint: { seq, balance } };
}

/**
 * Up to which number history is to be cleared next, in bounded work; null where it has nothing of what left the account.
 * `done`: up to this number it was.
 */
export function clearNext(sql: SqlStorage, done: number | null): number | null {
  if (done !== null) {
    sql.exec("UPDATE account SET cleared_seq = max(cleared_seq, min(?, checkpoint_seq))", done);
  }
  const row = sql.exec("SELECT checkpoint_seq, cleared_seq FROM account").one();
  const [checkpoint, cleared] = [number(row, "checkpoint_seq"), number(row, "cleared_seq")];
  return cleared < checkpoint ? Math.min(checkpoint, cleared + CLEARED_MAX) : null;
}

/** Numbers of which history is cleared by one statement: so many rows at most, where all of them are bulks. */
const CLEARED_MAX = 5_000;
