/** What a successful request reports, as a code and its values. The API says it in English, a page in the reader's language. */
export type Said =
  | { id: "sms"; segments: number }
  /** `recipients` counts each number once; `duplicates` counts the numbers that were listed repeatedly. */
  | { id: "bulk"; recipients: number; segments: number; duplicates: number }
  | { id: "call" }
  | { id: "otp" }
  | { id: "recording"; durationMs: number };
