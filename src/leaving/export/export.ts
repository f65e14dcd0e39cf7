import { configOf } from "../../config/config.ts";
import { exportFiles } from "./files.ts";
import type { ExportAsked, ExportPlace } from "./files.ts";
import { streamOf, tarOf } from "./tar.ts";

/** Reads the `after` of an export; null for anything else. */
export function readExportPlace(text: string): ExportPlace | null {
  const [, mode, seq] = /^(live|test)\.([0-9]{1,15})$/u.exec(text) ?? [];
  return mode === "live" || mode === "test" ? { mode, seq: Number(seq) } : null;
}

/** Everything that an account has as one archive (tar, gzip), made while it is read: little of it is ever in memory. */
export function exportStream(env: Env, asked: ExportAsked): ReadableStream<Uint8Array> {
  const files = exportFiles({ ...asked, env, config: configOf(env) });
  return streamOf(tarOf(files)).pipeThrough(new CompressionStream("gzip"));
}

/** The reply with an account's export. */
export function exportReply(env: Env, asked: ExportAsked): Response {
  const day = new Date(asked.nowMs).toISOString().slice(0, 10);
  const part = asked.after === null ? "" : `-${asked.after.mode}-${asked.after.seq}`;
  return new Response(exportStream(env, asked), {
    headers: {
      "Content-Type": "application/gzip",
      "Content-Disposition": `attachment; filename="${asked.accountId}-${day}${part}.tar.gz"`,
    },
  });
}
