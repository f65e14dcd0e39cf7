import { objectName } from "../crypto/ids.ts";
import { SPEECH_FOLDER } from "../model/message.ts";
import type { Mode } from "../model/ref.ts";

// Where an account has something outside its objects: folders in R2, named as its objects.

const MODES: readonly Mode[] = ["live", "test"];

/** The names of an account's objects. */
export const objectsOf = (accountId: string): string[] => MODES.map((mode) => objectName({ accountId, mode }));

/** The folders of an account: what it stored, and what was made of the texts of its calls. */
export const foldersOf = (accountId: string): string[] =>
  objectsOf(accountId).flatMap((name) => [name, `${SPEECH_FOLDER}/${name}`]);

/** The buckets in which accounts have folders. */
export const bucketsOf = (env: Env): R2Bucket[] => [env.RECORDINGS, env.ARCHIVE];

/** Keys that one call of R2 lists and deletes. */
const KEYS_MAX = 1_000;

/** Deletes a folder, in at most `pages` pages; whether nothing is left in it. */
export async function eraseFolder(bucket: R2Bucket, folder: string, pages: number): Promise<boolean> {
  for (let page = 0; page < pages; page += 1) {
    // Always from the beginning: what a page listed is gone before the next one.
    const { objects, truncated } = await bucket.list({ prefix: `${folder}/`, limit: KEYS_MAX });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    if (!truncated) return true;
  }
  return false;
}
