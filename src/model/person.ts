/** The buyer on an invoice (Rule 46 of the CGST Rules). */
export interface Buyer {
  name: string;
  address: string;
  /** The GST code of the state, two digits, for the place of supply. */
  state: string;
  gstin: string;
}

/** A person who signs in, and their account. */
export interface Person {
  id: string;
  accountId: string;
  name: string;
  phone: string | null;
  email: string | null;
  password: string | null;
  buyer: Buyer | null;
  createdAt: number;
  /** A browser that was remembered before this time, in ms, counts as unknown. */
  devicesSince: number;
  /** A verified phone that replaces `phone` at `nextPhoneAt`, in ms; both are null while no change waits. */
  nextPhone: string | null;
  nextPhoneAt: number | null;
}

export interface Session {
  hash: string;
  /** When the holder last authenticated, in ms. */
  authenticatedAt: number;
  /** When the holder last answered a code to their phone in this session, in ms; null if never. */
  phoneProvedAt: number | null;
}

/** A session as it is listed for its person. */
export interface SessionView {
  /** Names it on pages; no secret. */
  handle: string;
  /** A short form of the browser's User-Agent, or empty. */
  device: string;
  /** ISO 3166-1 alpha-2, or empty. */
  country: string;
  city: string;
  /** Whether it is the session of this request. */
  current: boolean;
  createdAt: number;
  /** When it was used last, to the hour. */
  seenAt: number;
}
