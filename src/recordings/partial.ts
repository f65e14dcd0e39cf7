// Conditions and ranges of a request for a file that never changes (RFC 9110 §13 and §14), as carriers and their caches
// make them.

/** What a file is told apart by. */
export interface Validators {
  /** Its strong entity tag, with its quotes. */
  etag: string;
  /** In ms; HTTP's dates have whole seconds. */
  modifiedMs: number;
}

/** The bytes of a reply. */
export interface Part {
  offset: number;
  length: number;
}

const secondOf = (ms: number): number => Math.floor(ms / 1000);

/** A date of HTTP in seconds; null where it is none, and is then ignored (§13.1.3). */
function dateOf(header: string | undefined): number | null {
  const ms = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(ms) ? null : secondOf(ms);
}

/** Whether a list of entity tags names this one; `*` names every one. A weak tag counts where `weak` is (§8.8.3.2). */
function names(list: string, etag: string, weak: boolean): boolean {
  if (list.trim() === "*") return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/gu) ?? [];
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`));
}

type Header = (name: string) => string | undefined;

/** The status that a request's conditions make, in the order of §13.2.2; null where it is to be answered. */
export function conditionOf(header: Header, { etag, modifiedMs }: Validators): 304 | 412 | null {
  const modified = secondOf(modifiedMs);
  const ifMatch = header("if-match");
  const unmodified = dateOf(header("if-unmodified-since"));
  if (ifMatch === undefined ? unmodified !== null && modified > unmodified : !names(ifMatch, etag, false)) return 412;
  const noneMatch = header("if-none-match");
  const since = dateOf(header("if-modified-since"));
  if (noneMatch === undefined ? since !== null && modified <= since : names(noneMatch, etag, true)) return 304;
  return null;
}

/** Whether `If-Range` lets the range count: absent, this tag, or exactly this date (§13.1.5). */
function isInRange(header: string | undefined, { etag, modifiedMs }: Validators): boolean {
  if (header === undefined) return true;
  const text = header.trim();
  return text.startsWith('"') ? text === etag : dateOf(text) === secondOf(modifiedMs);
}

/**
 * What of a file a request asks for (§14.2): a part, or null for all of it: without a range, with one that is malformed
 * or of another unit, with several, and where `If-Range` names another file. `unsatisfiable` begins behind the end.
 */
export function rangeOf(header: Header, size: number, validators: Validators): Part | "unsatisfiable" | null {
  const found = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/iu.exec(header("range") ?? "");
  const [from, to] = [found?.[1] ?? "", found?.[2] ?? ""];
  if ((from === "" && to === "") || !isInRange(header("if-range"), validators)) return null;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < offset) return null;
  return offset >= size ? "unsatisfiable" : { offset, length: last - offset + 1 };
}
