export type Mode = "live" | "test";

/** An account in one of its modes: each is one object, with its own money. */
export interface AccountRef {
  /** `acc_` and eight bytes. */
  accountId: string;
  mode: Mode;
}

/** Where a message stands: its job's sequence number in the account, and its place in the job. */
export interface MessagePlace {
  seq: number;
  index: number;
}
