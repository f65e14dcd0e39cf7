// Names that people give: shown beside other text, in lists, on pages and in messages.

/** Characters that end a line, are not shown, or turn the direction of what follows them (UAX #9). */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/u;

/** Whether a text could break a line, or make what stands beside it read as something else. */
export const isDeceptive = (text: string): boolean => UNSEEN.test(text);

/** A name as it is stored: one line, trimmed, with a space for each run of such characters. */
export const oneLine = (typed: string): string => typed.toWellFormed().replaceAll(new RegExp(UNSEEN, "gu"), " ").trim();
