import path from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Outgoing, Receipt, Seen } from "../../../src/carriers/carrier.ts";
import type { Outcome } from "../../../src/model/message.ts";
import { until } from "../../../harness/http.ts";
import type { Submission } from "./carrier-worker.ts";

/** A message for a carrier, with these differences. */
export const outgoing = (change: Partial<Outgoing> = {}): Outgoing => ({
  ref: "msg_1a2b3c",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "Hello",
  content: {},
  audioUrl: null,
  ...change,
});

/** The Worker of carrier-worker.ts in workerd, on a local port. */
export async function startCarrier() {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "carrier-worker.ts")],
    bundle: true,
    format: "esm",
    write: false,
    external: ["node:*"],
  });
  const contents = outputFiles[0]?.text ?? "";
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      modules: [{ type: "ESModule", path: "/worker.js", contents }],
      modulesRoot: "/",
      compatibilityDate: "2026-08-01",
      compatibilityFlags: ["nodejs_compat"],
      cf: false,
    }),
  );
  const { origin } = await runtime.ready;
  const receipts = async () => (await (await fetch(`${origin}/receipts`)).json()) as (Receipt | string)[];
  return {
    async submit(submission: Submission): Promise<{ outcome: Outcome; seen: Seen | null }> {
      const reply = await fetch(`${origin}/submit`, { method: "POST", body: JSON.stringify(submission) });
      return reply.json();
    },
    receipts,
    /** The receipts, once there are so many of them. */
    async receiptsOf(count: number) {
      await until(`${count} receipts`, async () => (await receipts()).length >= count);
      return receipts();
    },
    stop: () => runtime.dispose(),
  };
}
