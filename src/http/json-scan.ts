// Looks at JSON before it is parsed: how deep it is nested, and one name of the outermost object. It reads each
// character once and builds nothing, so that a body costs its own length until the sender is known. Whether the text is
// JSON at all is for `JSON.parse` to say.

/** Levels of objects and lists in one body; the deepest that is needed has three. */
export const JSON_DEPTH_MAX = 20;

const BACKSLASH = 0x5c;
const SPACE = /[\t\n\r ]*/y;

/** Where the string that opens at `start` ends, in characters; the end of the text when it has no closing quote. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** The first place at or after `start` that is not white space. */
function pastSpace(text: string, start: number): number {
  SPACE.lastIndex = start;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** The value of a JSON string; null for a broken one. */
function stringOf(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}

/** Each character of a name may be written as an escape of six. */
const isName = (json: string, name: string): boolean =>
  json === `"${name}"` || (json.length <= name.length * 6 + 2 && json.includes("\\") && stringOf(json) === name);

export interface Scanned {
  /** Whether objects and lists are nested deeper than JSON_DEPTH_MAX; the rest of the text was not looked at then. */
  tooDeep: boolean;
  /** The string under that name in the outermost object, the last one as in `JSON.parse`; null for none. */
  found: string | null;
}

/** Looks for a name in the outermost object, and at how deep a text is nested. */
export function scanJson(text: string, name: string): Scanned {
  let depth = 0;
  let found: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case "[":
      case "{":
        depth += 1;
        if (depth > JSON_DEPTH_MAX) return { tooDeep: true, found };
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case '"': {
        const end = stringEnd(text, at);
        const colon = depth === 1 && isName(text.slice(at, end), name) ? pastSpace(text, end) : -1;
        if (text[colon] === ":") {
          const start = pastSpace(text, colon + 1);
          found = text[start] === '"' ? stringOf(text.slice(start, stringEnd(text, start))) : null;
        }
        at = end - 1;
      }
    }
  }
  return { tooDeep: false, found };
}
