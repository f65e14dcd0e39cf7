// Whether a password is among the first that a guesser tries, by rule: patterns of the keyboard, repetitions, and one
// common word with something at its ends. The words themselves are in common-passwords.json.

/** Lower case, letters and digits only. */
export const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

const KEYBOARD = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

const PLACES = new Map(KEYBOARD.flatMap((row, y) => [...row].map((key, x) => [key, { x, y }] as const)));

/** How one character leads to the next: the same, in the order of the alphabet, along a row or column of keys. */
function stepsBetween(one: string, next: string): string[] {
  const steps: string[] = [];
  const order = (next.codePointAt(0) ?? 0) - (one.codePointAt(0) ?? 0);
  if (Math.abs(order) <= 1) steps.push(`order ${order}`);
  const [from, to] = [PLACES.get(one), PLACES.get(next)];
  if (from && to && from.y === to.y && Math.abs(to.x - from.x) === 1) steps.push(`row ${to.x - from.x}`);
  if (from && to && from.x === to.x && Math.abs(to.y - from.y) === 1) steps.push(`column ${to.y - from.y}`);
  return steps;
}

/** In how many straight runs a text is typed: 1 for qwertyuiop, 3 for 1qaz2wsx3edc. */
function runsOf(letters: readonly string[]): number {
  let runs = 0;
  for (let at = 0; at < letters.length; runs++) {
    let ways: readonly string[] | null = null;
    for (at += 1; at < letters.length; at++) {
      const steps = stepsBetween(letters[at - 1] ?? "", letters[at] ?? "");
      const same: readonly string[] = ways === null ? steps : steps.filter((step) => ways?.includes(step));
      if (same.length === 0) break;
      ways = same;
    }
  }
  return runs;
}

/** Characters that a straight run has on average in a text that is a pattern. */
const RUN_LENGTH_MIN = 3;

/** Two interlaced runs are as long as two rows of keys at most. */
const INTERLACED_LENGTH_MAX = 20;

/** Whether a plain text is a pattern: straight runs of keys, two of them interlaced, or a repeated part. */
export function isPattern(text: string): boolean {
  const letters = [...text];
  if (text === "" || /^(.+?)\1+$/u.test(text)) return true;
  if (runsOf(letters) * RUN_LENGTH_MIN <= letters.length) return true;
  if (letters.length > INTERLACED_LENGTH_MAX) return false;
  const [even, odd] = [0, 1].map((rest) => letters.filter((_, at) => at % 2 === rest));
  return (runsOf(even ?? []) + runsOf(odd ?? [])) * RUN_LENGTH_MIN <= letters.length;
}

const LEET: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Letters in place of the digits and signs that stand for them; 1 is an i or an l. */
const unleet = (text: string, one: "i" | "l") =>
  text.replaceAll(/[013457@$!]/gu, (sign) => (sign === "1" ? one : (LEET[sign] ?? sign)));

/** Characters at the ends of a common word that do not make a password of it. */
const ENDS_LENGTH_MAX = 6;

/** The words that a password may consist of: without what stands at its ends, if that is short or a pattern. */
export function coresOf(password: string): string[] {
  const lower = password.toLowerCase();
  const [, start = "", core = "", end = ""] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/u.exec(lower) ?? [];
  const cores = new Set<string>();
  // The sign beside the word can be its first or last letter, as in $unshine and krishn@123.
  for (const first of new Set([start.length, Math.max(0, start.length - 1)])) {
    for (const last of new Set([0, Math.min(1, end.length)])) {
      const ends = start.slice(0, first) + end.slice(last);
      if (ends.length > ENDS_LENGTH_MAX && !isPattern(plain(ends))) continue;
      const word = start.slice(first) + core + end.slice(0, last);
      for (const one of ["i", "l"] as const) cores.add(plain(unleet(word, one)));
    }
  }
  return [...cores].filter((word) => word !== "");
}

/** Whether a plain text is an Indian mobile number, the most common password that is no word. */
export const isMobile = (text: string): boolean => /^(?:91|0)?[6-9]\d{9}$/u.test(text);
