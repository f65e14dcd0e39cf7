// The folder of static files (wrangler.toml, [assets]): what the Worker reads by name, and does not carry in its code.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./local.mjs";

const FOLDER = path.join(ROOT, "assets");

/** Files of the folder itself, such as the one that keeps it in the repository, are not for the Worker. */
const names = () => readdirSync(FOLDER).filter((name) => !name.startsWith("."));

/** A file's name with the hash of its content, so that it is the name of this content for ever. */
export const nameOf = (name, extension, contents) =>
  `${name}-${createHash("sha256").update(contents).digest("hex").slice(0, 10)}${extension}`;

/**
 * Makes the folder hold exactly these files, by name. One that is the same already is not written again, since wrangler
 * watches the folder.
 *
 * @param {Map<string, Uint8Array | string>} files
 */
export function writeAssets(files) {
  for (const [name, contents] of files) {
    const file = path.join(FOLDER, name);
    if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(contents))) writeFileSync(file, contents);
  }
  for (const name of names()) if (!files.has(name)) rmSync(path.join(FOLDER, name), { force: true });
}

/** The files of the folder, by name. */
export const readAssets = () => new Map(names().map((name) => [name, readFileSync(path.join(FOLDER, name))]));
