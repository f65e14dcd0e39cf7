/** For when it is scheduled, in ms since the epoch; absent: for at once. */
interface Later {
  sendAtMs?: number | undefined;
}

/** What a successful request reports, as a code and its values. The API says it in English, a page in the reader's language. */
export type Said =
  | ({ id: "sms"; segments: number } & Later)
  /** `recipients` counts each number once; `duplicates` counts the numbers that were listed repeatedly. */
  | ({ id: "bulk"; recipients: number; segments: number; duplicates: number } & Later)
  | ({ id: "call" } & Later)
  | { id: "otp" }
  | { id: "recording"; durationMs: number };
