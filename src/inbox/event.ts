// Events that the test inbox sends to its page. The browser's script shares this file, so it imports nothing.

/** A row of the list. */
export interface LiveMessage {
  seq: number;
  id: string;
  to: string;
  operation: string;
  /** Null for a recording. */
  text: string | null;
  code: string | null;
  at: number;
}

/** New messages, and the ids of deleted ones. */
export interface LiveEvent {
  messages?: LiveMessage[];
  gone?: string[];
}
