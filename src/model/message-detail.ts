import type { LedgerView } from "./account.ts";
import type { Content, MessageView } from "./message.ts";

/** What an account stores about one message. */
export interface MessageDetail {
  message: MessageView;
  /** Sealed; null for a recording, and after the text was deleted. */
  text: Uint8Array | null;
  content: Content;
  /** When the message expires, in ms, unless a carrier accepts it before. */
  expiresAt: number;
  /** The request that the message was part of. */
  request: {
    /** Its first job, which is its debit. */
    seq: number;
    /** The first of its numbers. */
    recipients: string[];
    count: number;
    /** Units. */
    spent: number;
    balance: number;
  };
  recording: { fileId: string; name: string; durationMs: number } | null;
  refund: LedgerView | null;
  keyName: string | null;
}
