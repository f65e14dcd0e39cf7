import { createHash } from "node:crypto";
import type { Digest, Manifest, Totals } from "../model/archive.ts";
import { Tally, readLine } from "./tally.ts";
import type { Line } from "./tally.ts";

// Reads a file of the archive again, and compares it with its manifest.

/** The digest of bytes. */
export const digestOf = (bytes: Uint8Array): Digest => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/** The lines of a file, which is decompressed as it is read; `digest` gets the bytes of the lines. */
export async function* linesIn(
  file: Uint8Array<ArrayBuffer>,
  digest: (bytes: Uint8Array) => void = () => undefined,
): AsyncGenerator<Line> {
  const reader = new Blob([file]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    digest(value);
    const texts = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) yield readLine(text);
  }
  if (rest !== "") throw new Error("a file of the archive ends within a line");
}

const TOTALS = ["first", "last", "lines", "units", "balanceBefore", "balanceAfter"] as const satisfies (keyof Totals)[];

/** What is wrong with a file by its manifest; null where they agree. Never throws. */
export async function faultOf(file: Uint8Array<ArrayBuffer>, manifest: Manifest): Promise<string | null> {
  const stored = digestOf(file);
  if (stored.sha256 !== manifest.file.sha256 || stored.bytes !== manifest.file.bytes) {
    return "the file is not the one in the manifest";
  }
  try {
    const tally = new Tally({ seq: manifest.first - 1, balance: manifest.balanceBefore });
    const hash = createHash("sha256");
    let bytes = 0;
    const digest = (chunk: Uint8Array) => {
      bytes += chunk.length;
      hash.update(chunk);
    };
    for await (const line of linesIn(file, digest)) tally.add(line);
    if (hash.digest("hex") !== manifest.ndjson.sha256 || bytes !== manifest.ndjson.bytes) {
      return "the lines are not those in the manifest";
    }
    const { totals } = tally;
    const wrong = TOTALS.find((name) => JSON.stringify(totals[name]) !== JSON.stringify(manifest[name]));
    return wrong ? `${wrong} in the manifest is not that of the lines` : null;
  } catch (problem) {
    return problem instanceof Error ? problem.message : "the file cannot be read";
  }
}
