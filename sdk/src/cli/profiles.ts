import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { Stop } from "./stop.ts";

// The stored keys: one file that only its owner can read.

export interface Profile {
  api_key: string;
  url?: string;
}

export interface Stored {
  /** The name of the profile that is used when no other is asked for. */
  profile?: string;
  profiles: Record<string, Profile>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the file is. */
export function configFile(env: Environment): string {
  // An empty variable counts as none (XDG Base Directory Specification).
  const base = env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config");
  return path.join(base, "dastak", "config.json");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is stored; nothing when there is no file. */
export function readStored(env: Environment): Stored {
  const file = configFile(env);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
    throw new Stop("failed", "config", `${file} cannot be read.`, (problem as Error).message);
  }
  const parsed = parsedOf(text);
  const profiles = isObject(parsed) && isObject(parsed["profiles"]) ? parsed["profiles"] : null;
  const whole =
    profiles && Object.values(profiles).every((profile) => isObject(profile) && typeof profile["api_key"] === "string");
  if (!whole) throw new Stop("failed", "config", `${file} is not what dastak login writes.`, "Mend it or delete it.");
  return parsed as Stored;
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Stores it, so that at each moment the whole old file or the whole new one is there. */
export function writeStored(env: Environment, stored: Stored): string {
  const file = configFile(env);
  const fresh = `${file}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(fresh, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
      // An existing file keeps its mode when it is written.
      chmodSync(fresh, 0o600);
      renameSync(fresh, file);
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (problem) {
    throw new Stop("failed", "config", `${file} cannot be written.`, (problem as Error).message);
  }
  return file;
}

/** A key as it may be shown: what it is, and its end. */
export const masked = (key: string): string => `${/^dsk_(?:live|test)_/u.exec(key)?.[0] ?? ""}…${key.slice(-4)}`;
