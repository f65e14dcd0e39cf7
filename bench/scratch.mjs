// Where a benchmark that compares sizes, or counts, keeps its state: in memory, where there is room. On a disk that others
// use too, closing a thousand idle objects was seen to hold the runtime up for six seconds, which says nothing of the service.
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

/** Does some work with a folder of its own, which is gone afterwards, however the program ends. */
export async function withScratch(name, work) {
  const dir = mkdtempSync(path.join(folder(), `dastak-${name}-`));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  await work(dir);
}
