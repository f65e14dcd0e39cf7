// A content template of India's DLT registry (contract §17.1): fixed text with variables, as the operators' portals have it.

/** What a variable may hold. */
export interface Tag {
  /** Whether a code point may stand in it; of an address, what may stand in one at all. */
  allows: (char: string) => boolean;
  /** Code points. */
  min: number;
  max: number;
  /** Of a tag whose value has a form of its own: where a value may end that begins at `begin`. */
  ends?: (chars: readonly string[], begin: number) => Ends;
}

/** Where a value with a form of its own may end. */
export interface Ends {
  /** A place from `begin` on: what begins between the two may end at the same places. */
  mark: number;
  ends: number[];
}

const ANYTHING: Tag = { allows: () => true, min: 0, max: 30 };
const NUMERIC: Tag = { allows: (char) => /^[0-9]$/u.test(char), min: 1, max: 30 };
const ALPHANUMERIC: Tag = { allows: (char) => /^[\p{L}\p{M}\p{Nd} .,:\-/&'()]$/u.test(char), min: 1, max: 40 };
const NO_SPACE = (char: string) => !/^\s$/u.test(char);
const URL: Tag = { allows: NO_SPACE, min: 0, max: Infinity };
const CALLBACK_NUMBER: Tag = { allows: (char) => /^[+0-9 -]$/u.test(char), min: 3, max: 20 };

/** Where an address may end: something, `@`, and at least two labels with a dot between them. Reads each character once. */
function addressEnds(chars: readonly string[], begin: number): Ends {
  let at = begin;
  while (at < chars.length && chars[at] !== "@" && NO_SPACE(chars[at] ?? "")) at += 1;
  const mark = at;
  const ends: number[] = [];
  if (at === begin || chars[at] !== "@") return { mark, ends };
  let label = 0;
  let dots = 0;
  for (at += 1; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    if (char === "@" || !NO_SPACE(char) || (char === "." && label === 0)) break;
    dots += char === "." ? 1 : 0;
    label = char === "." ? 0 : label + 1;
    if (dots > 0 && label > 0) ends.push(at + 1);
  }
  return { mark, ends };
}

const EMAIL: Tag = { allows: NO_SPACE, min: 0, max: Infinity, ends: addressEnds };

/** Every tag by the word in `{#word#}`; the case of a word counts. */
export const TAGS: Readonly<Record<string, Tag>> = {
  var: ANYTHING,
  numeric: NUMERIC,
  number: NUMERIC,
  num: NUMERIC,
  alphanumeric: ALPHANUMERIC,
  alp: ALPHANUMERIC,
  url: URL,
  urg: URL,
  urlott: URL,
  uro: URL,
  cbn: CALLBACK_NUMBER,
  email: EMAIL,
};

/** A variable of a template, or several side by side of one tag, whose lengths add up. */
export interface Variable {
  tag: Tag;
  /** As the template has it: `{#num#}`. */
  written: string;
  /** How many of them stand side by side. */
  count: number;
}

/** A piece of a template: fixed text in code points, or a variable. */
export type Part = { text: readonly string[] } | { variable: Variable };

const WRITTEN = /\{#([^#{}]*)#\}/gu;

/** A text in the form in which texts and templates are compared: NFC, and `\n` for each line break. */
export const comparable = (text: string): string => text.replaceAll("\r\n", "\n").normalize("NFC");

/** The variables of a template as it has them, in order. */
export const writtenIn = (template: string): string[] => [...template.matchAll(WRITTEN)].map(([written]) => written);

/** The tag of a variable as it is written, or undefined. */
export function tagOf(written: string): Tag | undefined {
  const word = written.slice(2, -2);
  return Object.hasOwn(TAGS, word) ? TAGS[word] : undefined;
}

/** The parts of a template; or the variable that it has and that is none. */
export function partsOf(template: string): Part[] | { unknown: string } {
  const parts: Part[] = [];
  let at = 0;
  const fixed = (text: string) => {
    if (text !== "") parts.push({ text: [...text] });
  };
  const text = comparable(template);
  for (const found of text.matchAll(WRITTEN)) {
    const [written] = found;
    const tag = tagOf(written);
    if (!tag) return { unknown: written };
    fixed(text.slice(at, found.index));
    const last = parts.at(-1);
    if (last && "variable" in last && last.variable.tag === tag && !tag.ends) last.variable.count += 1;
    else parts.push({ variable: { tag, written, count: 1 } });
    at = found.index + written.length;
  }
  fixed(text.slice(at));
  return parts;
}

/** The least and the most code points of a variable. */
export const leastOf = ({ tag, count }: Variable): number => tag.min * count;
export const mostOf = ({ tag, count }: Variable): number => tag.max * count;
