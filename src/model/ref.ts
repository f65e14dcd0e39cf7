export type Mode = "live" | "test";

/** An account in one of its modes: each mode is an object of its own, with its own balance. */
export interface AccountRef {
  /** `acc_` and eight bytes. */
  accountId: string;
  mode: Mode;
}

/** The place of a message: its job's sequence number in the account, and its index in the job. */
export interface MessagePlace {
  seq: number;
  index: number;
  /** The id of the secret that made the message's public id; 1 where it is absent. */
  secretId?: number;
}
