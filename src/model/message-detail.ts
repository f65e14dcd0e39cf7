import type { LedgerView } from "./account.ts";
import type { Content, MessageView } from "./message.ts";

/** One message with all that belongs to it. */
export interface MessageDetail {
  message: MessageView;
  /** Sealed; null for a recording, and where it was forgotten. */
  text: Uint8Array | null;
  content: Content;
  /** When it is given up, if nobody took it by then. */
  expiresAt: number;
  /** The whole request that it was part of. */
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
