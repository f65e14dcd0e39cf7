import { createHash } from "node:crypto";
import { joinBytes } from "../crypto/bytes.ts";
import type { Digest, Totals } from "../model/archive.ts";
import { Tally, writeLine } from "./tally.ts";
import type { Line } from "./tally.ts";

const encoder = new TextEncoder();

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return joinBytes(...chunks);
}

/** A file of the archive in the making: lines are compressed as they come, so that only the result is held in memory. */
export class FileWriter {
  readonly #gzip = new CompressionStream("gzip");
  readonly #input = this.#gzip.writable.getWriter();
  readonly #output = bytesOf(this.#gzip.readable);
  readonly #hash = createHash("sha256");
  readonly #tally: Tally;
  #bytes = 0;

  /** `after`: the last number before the first line, and the balance there, in units. */
  constructor(after: { seq: number; balance: number }) {
    this.#tally = new Tally(after);
    // A failure is reported to the caller of `end`, who may not be there yet.
    this.#output.catch(() => undefined);
  }

  /** The size of the lines so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds lines; throws where one does not continue the one before it. */
  async add(lines: readonly Line[]): Promise<void> {
    for (const line of lines) this.#tally.add(line);
    const bytes = encoder.encode(lines.map(writeLine).join(""));
    this.#bytes += bytes.length;
    this.#hash.update(bytes);
    await this.#input.write(bytes);
  }

  /** The compressed file, and what its lines are and add up to. */
  async end(): Promise<{ file: Uint8Array<ArrayBuffer>; ndjson: Digest; totals: Totals }> {
    await this.#input.close();
    const ndjson = { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
    return { file: await this.#output, ndjson, totals: this.#tally.totals };
  }
}
