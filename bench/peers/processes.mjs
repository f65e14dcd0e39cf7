// The programs that a peer runs besides Node. They stay in Node's process group, so that one signal ends all of them;
// only PostgreSQL's workers leave the group, and end with their parent.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import path from "node:path";

const READY_MS_MAX = 20_000;
const READY_STEP_MS = 50;
const LAST_WORDS_LENGTH_MAX = 1_000;
/** On Debian these programs of PostgreSQL and Kannel are not in a user's PATH. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql";
const DEBIAN_SBIN = "/usr/sbin";

function folders() {
  let versions = [];
  try {
    versions = readdirSync(DEBIAN_POSTGRES).toSorted((one, other) => Number(other) - Number(one));
  } catch {
    // Not Debian: only PATH is searched.
  }
  const own = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  return [...versions.map((version) => path.join(DEBIAN_POSTGRES, version, "bin")), ...own, DEBIAN_SBIN];
}

/** Path of a program, or null. */
export function programOf(name) {
  for (const folder of folders()) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/**
 * Starts a long-running program, which ends with this process at the latest; `stop` sends `signal` and waits for its
 * end.
 */
export function startProgram(name, args, { signal = "SIGTERM", ...options } = {}) {
  const child = spawn(programOf(name), args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  process.once("exit", () => child.kill(signal));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => (said = (said + text).slice(-LAST_WORDS_LENGTH_MAX)));
  }
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    /** Its last output once it has ended; null while it runs. */
    lastWords: () => (child.exitCode === null && child.signalCode === null ? null : said || "it said nothing"),
    stop() {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a program and waits for it. */
export function runProgram(name, args, options) {
  const { status, error, stderr } = spawnSync(programOf(name), args, { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${name} failed: ${error?.message ?? stderr}`);
}

/** Waits until `attempt` succeeds and returns its result; throws at once if the program has ended. */
export async function untilReady(name, program, attempt) {
  for (let waitedMs = 0; ; waitedMs += READY_STEP_MS) {
    try {
      return await attempt();
    } catch (error) {
      const lastWords = program.lastWords();
      if (lastWords !== null) throw new Error(`${name} ended: ${lastWords}`, { cause: error });
      if (waitedMs >= READY_MS_MAX) throw new Error(`${name} was not ready in time`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, READY_STEP_MS));
  }
}
