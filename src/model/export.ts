import type { Content, MessageView } from "./message.ts";

/** One job with everything that the export of an account shows of it. */
export interface ExportedJob {
  seq: number;
  content: Content;
  /** Sealed; null for a recording, and after the text was deleted. */
  text: Uint8Array | null;
  messages: MessageView[];
}
