// India's DLT registry of an account (contract §17), in the forms that several areas share.

/** The categories of headers and templates. */
export const DLT_CATEGORIES = ["otp", "transactional", "service_implicit", "service_explicit", "promotional"] as const;
export type DltCategory = (typeof DLT_CATEGORIES)[number];

/** `off`: nothing is matched; `warn`: what does not match is sent all the same; `on`: it is refused. */
export const DLT_ENFORCED = ["off", "warn", "on"] as const;
export type DltEnforced = (typeof DLT_ENFORCED)[number];

/** A header: the sender that the receiver sees. */
export interface DltHeader {
  header: string;
  category: DltCategory;
}

export interface DltTemplate {
  templateId: string;
  headers: string[];
  category: DltCategory;
  text: string;
}

/** The template that one-time passwords have, with the value of each of its variables. */
export interface DltOtp {
  templateId: string;
  values: string[];
}

/** A registry apart from its templates. */
export interface DltTerms {
  /** Null until the account has said it; `warn` and `on` need it. */
  entityId: string | null;
  enforce: DltEnforced;
  headers: DltHeader[];
  otp: DltOtp | null;
}

export interface DltRegistry extends DltTerms {
  templates: DltTemplate[];
}

/** A registry as it is kept; `updatedAt` in ms rises with every change, and is null before the first. */
export interface KeptDlt extends DltRegistry {
  updatedAt: number | null;
}

/** What came of an import of templates. */
export interface DltImported {
  added: number;
  changed: number;
  unchanged: number;
}

/** A registry that cannot be: the field, and one sentence. */
export interface DltFault {
  param: string;
  error: string;
}

/** Why an operator would drop a text, in the operators' codes (contract §17.2). Places are code points, from 0. */
export interface DltRefused {
  code: 620 | 630 | 633 | 634 | 635;
  /** The nearest template, or the one that the text fits. */
  templateId: string | null;
  at: number;
  expected: string;
  found: string;
  /** Of 635: the most code points that a value may have, and those that it has. */
  limit?: number;
  length?: number;
}

/** The field that a refusal is about. */
export type DltParam = "message" | "senderId" | "otp";

/** Why a message is not sent, or is sent with a warning. Times in ms. */
export type DltRefusal =
  | { reason: "dlt_mismatch" | "dlt_header"; param: DltParam; dlt: DltRefused }
  | { reason: "dlt_hours"; param: DltParam; nextAt: number };

/** What the rules say of a text that is tried out. */
export interface DltTried {
  refusal: DltRefusal | null;
  /** The template that it fits, or is nearest to. */
  template: DltTemplate | null;
  /** The header under which it would be sent; null: none. */
  sender: string | null;
}

/** A text that was sent several times, with a variable for each part that varied. */
export interface DltSample {
  text: string;
  /** Messages that had it. */
  count: number;
}

/** A piece of a one-time password's text: fixed text, or the place of the code or of the brand. */
export type OtpPiece = string | 0 | 1;
