/** The languages of the console's pages. */
const LANGUAGES = ["en", "hi"] as const;
export type Lang = (typeof LANGUAGES)[number];
