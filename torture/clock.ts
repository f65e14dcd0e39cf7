import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { createRequire } from "node:module";

// The clock of a whole process, set by libfaketime if that is installed.

const PLACES = [
  "/usr/lib/*/faketime/libfaketime.so.1",
  "/usr/lib*/faketime/libfaketime.so.1",
  "/usr/local/lib*/faketime/libfaketime.so.1",
];

/**
 * Symbols that libfaketime must not look up: a missing one makes the loader allocate memory, and the runtime's
 * allocator asks for the time during its own initialisation.
 */
const IGNORED = "__ftime,timer_settime@GLIBC_2.2,timer_gettime@GLIBC_2.2,clock_gettime64,__clock_gettime64";

/** Environment of a process whose clock is set by a file. Only the time of day jumps; pauses keep their length. */
export function clockEnvironment(library: string, file: string): Record<string, string> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    FAKETIME_IGNORE_SYMBOLS: IGNORED,
  };
}

/** The path of a libfaketime with which the runtime starts, or the reason why it is not used. */
export function findLibfaketime(file: string): { library: string } | { why: string } {
  const library = process.env["LIBFAKETIME"] ?? PLACES.flatMap((place) => globSync(place))[0];
  if (library === undefined) return { why: "libfaketime is not installed (apt-get install faketime)" };
  // The workerd binary that wrangler itself uses.
  const wrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
  const { default: workerd } = wrangler("workerd") as { default: string };
  const env = { ...process.env, ...clockEnvironment(library, file) };
  const { status } = spawnSync(workerd, ["--version"], { env, timeout: 2_000, killSignal: "SIGKILL" });
  if (status === 0) return { library };
  return { why: `workerd does not start under ${library} (0.9.11 or newer is needed)` };
}
