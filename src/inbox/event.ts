// What the page of the test inbox hears. The browser's script reads it as well, so this imports nothing.

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

/** Messages that landed, and ids of messages that were deleted. */
export interface LiveEvent {
  messages?: LiveMessage[];
  gone?: string[];
}
