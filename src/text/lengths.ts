// How long a text that comes from outside may be, in UTF-16 code units. This file imports nothing. The fields of the API's
// operations have their lengths, in code points, where they are checked (http/fields.ts, contract §5).

export const LENGTH_MAX = {
  /** A field of a form that no other limit names; only its form bounds a list of recipients or of prices. */
  field: 2_000,
  /** The text of a message in a form: more than it may have, so that its sender sees it again and can shorten it. */
  text: 10_000,
  /** A path that a form leads back to. It travels in a header, and is stored with a sign-in code. */
  next: 2_000,
  /** An e-mail (RFC 5321 §4.5.3.1.3, without its angle brackets). */
  email: 254,
  /** A person's name. */
  personName: 80,
  /** The name of an account or a key, and the reference of a credit. */
  name: 100,
  /** What the operator notes beside a credit. */
  note: 500,
  buyerName: 120,
  buyerAddress: 300,
} as const;
