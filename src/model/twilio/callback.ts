import type { MessageState, TwilioTerms } from "../message.ts";

// Status callbacks: states of single messages, posted to an address that each message has of its own (contract §15).

/** A state that a message's address is to be told of. */
export interface ToldState {
  state: MessageState;
  /** Why, where that is known. */
  why: string | null;
}

/** What is to be posted for one message, in order. */
export interface Callback {
  seq: number;
  /** The id of the secret of the message's place. */
  secretId: number;
  to: string;
  terms: TwilioTerms & { callback: string };
  /** The key that signs: the one that sent the message or, once that has ended, the one that replaced it. */
  key: { keyId: number; secretId: number };
  /** The place of the first of `told` among all of its states. */
  from: number;
  told: ToldState[];
}

/** What a Worker delivers to one host, with its lease. */
export interface CallbackClaim {
  host: string;
  lease: number;
  callbacks: Callback[];
}

/** What became of one message's posts. */
export interface CallbackResult {
  seq: number;
  /** As it was claimed: what was reported twice counts once. */
  from: number;
  /** States that were taken, or refused for good. */
  settled: number;
  /** Why the next one is to be tried again; null where none is. `silent`: no answer came at all. */
  failed: { silent: boolean; retryAfterMs: number | null } | null;
}
