import { closeSync, openSync, writeSync } from "node:fs";

/** An append-only log, one JSON object per line. append() returns after the line is written. */
export class Log {
  readonly #file: number;

  constructor(file: string) {
    this.#file = openSync(file, "a");
  }

  append(line: { t: string; [name: string]: unknown }): void {
    writeSync(this.#file, `${JSON.stringify({ at: Date.now(), ...line })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
