// The floors: the same runtime, doing almost nothing.
import { readFileSync } from "node:fs";
import path from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";

/** Starts the floors on a port. */
export async function startFloors({ port, stateDir }) {
  const contents = readFileSync(path.join(import.meta.dirname, "worker.js"), "utf8");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      port: 0,
      host: "127.0.0.1",
      log: new Log(LogLevel.NONE),
      resourcePersistencePath: stateDir,
      workers: [
        {
          name: "floors",
          modules: [{ type: "ESModule", path: "worker.js", contents }],
          compatibilityDate: "2026-08-01",
          durableObjects: { FLOOR: { className: "Floor", useSQLite: true } },
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  await miniflare.ready;
  return { stop: () => miniflare.dispose() };
}
