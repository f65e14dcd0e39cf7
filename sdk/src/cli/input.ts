import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Stop, usage } from "./stop.ts";

// What the program reads: files, its standard input, and answers of a person.

/** Whether a person can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** The standard input as text, without the end of its last line. */
export const standardInput = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/u, "");

/** The value of an option, or what stands on the standard input for `-`. */
export async function valueOrInput(value: string): Promise<string> {
  return value === "-" ? standardInput() : value;
}

/** The bytes of a file. */
export function fileBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (problem) {
    const missing = (problem as NodeJS.ErrnoException).code === "ENOENT";
    throw usage(missing ? `There is no file ${file}.` : `${file} cannot be read: ${(problem as Error).message}`);
  }
}

/** The text of a file, or of the standard input for `-`. */
export async function fileText(file: string): Promise<string> {
  const bytes = file === "-" ? Buffer.from(await standardInput()) : fileBytes(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usage(`${file} is not UTF-8 text.`, "Save it as CSV UTF-8.");
  }
}

/** What a person types, which the terminal does not show. */
export async function askHidden(question: string): Promise<string> {
  if (!canAsk()) throw new Stop("usage", "no_terminal", "There is no terminal to ask on.");
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  let answer = "";
  try {
    for await (const piece of stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
      for (const letter of piece) {
        if (letter === "\r" || letter === "\n") return answer;
        // Ctrl-C and Ctrl-D are letters while the terminal is raw.
        if (letter === "\u0003" || letter === "\u0004") throw new Stop("interrupted", "interrupted", "Not stored.");
        answer = letter === "\u007F" || letter === "\b" ? answer.slice(0, -1) : answer + letter;
      }
    }
    return answer;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
