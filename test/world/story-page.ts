import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { messageId } from "../../src/crypto/ids.ts";
import type { Operation } from "../../src/model/operations.ts";
import type { AccountRef, MessagePlace } from "../../src/model/ref.ts";
import { post } from "./world.ts";
import type { Reply, World } from "./world.ts";
import type { Visitor } from "./visitor.ts";

// Reads the page of one message, and runs the command on it.

/** Parses a command as a POSIX shell does: words of quoted and unquoted pieces, and variables. */
export function shellWords(command: string, variables: Record<string, string>): string[] {
  const words: string[] = [];
  const joined = command.replaceAll("\\\n", "");
  const piece = /'([^']*)'|"([^"]*)"|\\(.)|([^\s'"\\]+)|(\s+)/suy;
  let word: string | null = null;
  let at = 0;
  for (let match = piece.exec(joined); match; match = piece.exec(joined)) {
    const [whole, single, double, escaped, bare, space] = match;
    at += whole.length;
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    if (bare !== undefined && /[$`&|;<>()*?[\]#~!{}]/u.test(bare)) throw new Error(`a shell would act on ${bare}`);
    if (double !== undefined && /[`\\]|\$\(/u.test(double)) throw new Error(`a shell would act on ${double}`);
    word = `${word ?? ""}${single ?? double?.replaceAll(/\$(\w+)/gu, (_, name: string) => variables[name] ?? "") ?? escaped ?? bare ?? ""}`;
  }
  if (at !== joined.length) throw new Error(`a quote never ends: ${joined.slice(at)}`);
  return word === null ? words : [...words, word];
}

/** Text of the page with its entities decoded. */
export function unescaped(html: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return html.replaceAll(/&(?:#(\d+)|(\w+));/gu, (_, code: string | undefined, name: string | undefined) =>
    code === undefined ? (named[name ?? ""] ?? "") : String.fromCodePoint(Number(code)),
  );
}

/** Indexes of the code blocks on the page. */
export const [CURL, REPLY] = [0, 1];

/** The text of a code block on the page. */
export function codeIn(page: string, which: number): string {
  const blocks = [...page.matchAll(/<pre tabindex="0">(.*?)<\/pre>/gsu)];
  return unescaped(blocks[which]?.[1] ?? "");
}

/** Public id of a message. */
export const idOf = (ref: AccountRef, operation: Operation, place: MessagePlace) =>
  messageId(env.KEY_SECRET, ref, operation, place);

/** The page of a message. */
export async function storyOf(
  visitor: Visitor,
  world: World,
  operation: Operation = "sms",
  place = { seq: 2, index: 0 },
) {
  const page = await visitor.get(`/activity/${idOf(world.ref, operation, place)}`);
  expect(page.status).toBe(200);
  return page.text;
}

/** Runs the command of a page, with the Worker in place of the network. */
export function repeat(page: string, world: World, variables: Record<string, string> = {}): Promise<Reply> {
  const [program, url = "", ...options] = shellWords(codeIn(page, CURL), { DASTAK_KEY: world.apiKey, ...variables });
  expect(program).toBe("curl");
  const headers: Record<string, string> = {};
  let body = "";
  for (let at = 0; at < options.length; at += 2) {
    const value = options[at + 1] ?? "";
    if (options[at] === "-d") body = value;
    else headers[value.slice(0, value.indexOf(":")).toLowerCase()] = value.slice(value.indexOf(":") + 2);
  }
  return post(url, body, headers);
}
