// State of the benchmarks that compare sizes or count: in memory, if there is room. On a shared disk, closing a
// thousand idle objects has stalled the runtime for six seconds, which is not a property of the service.
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const MEMORY = "/dev/shm";
const ROOM_BYTES = 4e9;

function folder() {
  if (!existsSync(MEMORY)) return os.tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_BYTES ? MEMORY : os.tmpdir();
}

/** Runs `work` with a temporary folder, which is deleted afterwards however the program ends. */
export async function withScratch(name, work) {
  const dir = mkdtempSync(path.join(folder(), `dastak-${name}-`));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  await work(dir);
}
