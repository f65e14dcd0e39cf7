/** The buyer as an invoice names them (Rule 46 of the CGST Rules). */
export interface Buyer {
  name: string;
  address: string;
  /** Two digits of the state, for the place of supply. */
  state: string;
  gstin: string;
}

/** Somebody who signs in, and the account that is theirs. */
export interface Person {
  id: string;
  accountId: string;
  name: string;
  phone: string | null;
  email: string | null;
  password: string | null;
  buyer: Buyer | null;
  createdAt: number;
}

export interface Session {
  hash: string;
  /** When its holder last proved who they are, in ms. */
  authenticatedAt: number;
}

/** A session as its person sees it. */
export interface SessionView {
  /** What the browser calls itself, or empty. */
  device: string;
  /** Whether it is the one that asks. */
  current: boolean;
  createdAt: number;
  /** When it was used last, to the hour. */
  seenAt: number;
}
