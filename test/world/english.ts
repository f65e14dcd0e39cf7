import { unescaped } from "./story-page.ts";

// Finds English sentences on a Hindi page: runs of three or more Latin words, in texts and in attributes that people
// read or that the script shows.

/** Elements whose text is not in the page's language: code, and what is marked as English or as somebody's name. */
const SKIPPED = /^(?:script|style|code|pre|bdi|textarea|svg|option)$/u;
const VOID = /^(?:input|meta|link|br|hr|img|path|rect|circle|line|source|wbr|col)$/u;

/** Marked as English, or as text of people, whose direction only its content shows. */
const NOT_OURS = /\s(?:lang="en"|dir="auto")/u;

/** Attributes that people hear or read, and templates for the script. */
const READ = /\s(aria-label|title|alt|placeholder|data-[\w-]+)="([^"]*)"/gu;

/** Attributes that are for the script alone. */
const NOT_READ = new Set(["data-list", "data-find", "data-copy", "data-operations", "data-units", "data-request"]);

/** Three or more words of two letters or more, with nothing but spaces and commas between them. */
const SENTENCE = /(?:\b[A-Za-z][A-Za-z'’-]*[,;:]? +){2,}[A-Za-z][A-Za-z'’-]+\b/gu;

/** Lists of words and operators of the search language, which are the same in every language. */
const SEARCH_WORD =
  "(?:queued|sending|sent|delivered|undelivered|unconfirmed|failed|unknown|refunded|sms|international|otp|tts|voice|call|today|yesterday|[a-z]+:)";
const SEARCH_LIST = new RegExp(`${SEARCH_WORD}(?:,? ${SEARCH_WORD})+`, "gu");

/** English sentences in a page's HTML. */
export function englishIn(html: string): string[] {
  const texts: string[] = [];
  const open: { name: string; skipped: boolean }[] = [];
  for (const [, tag, text = ""] of html.matchAll(/(<[^>]*>)|([^<]+)/gu)) {
    if (tag === undefined) {
      if (open.at(-1)?.skipped !== true) texts.push(text);
      continue;
    }
    const [, close, name = ""] = /^<(\/?)([\w-]+)/u.exec(tag) ?? [];
    if (close === "/") {
      while (open.length > 0 && open.pop()?.name !== name);
      continue;
    }
    const skipped = open.at(-1)?.skipped === true || SKIPPED.test(name) || NOT_OURS.test(tag);
    if (!skipped || name === "textarea") {
      for (const [, attribute = "", value = ""] of tag.matchAll(READ)) if (!NOT_READ.has(attribute)) texts.push(value);
    }
    if (!VOID.test(name) && !tag.endsWith("/>")) {
      open.push({ name, skipped: skipped && !/\slang="hi"/u.test(tag) });
    }
  }
  return texts.flatMap((text) => unescaped(text).replaceAll(SEARCH_LIST, "·").match(SENTENCE) ?? []);
}
