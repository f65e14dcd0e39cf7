import type http from "node:http";
import { messagesOf } from "../harness/books.ts";
import { callOnce } from "../harness/http.ts";
import { operator } from "./books.ts";
import { BASE } from "./settings.ts";

// The timelines of messages as their customers see them: each attempt with its carrier.

/** Messages read of one account: its own API allows so many requests a minute. */
const READ_MAX = 400;
/** Requests at once. */
const AT_ONCE = 4;

export interface Timeline {
  account: string;
  ref: string;
  timeline: { state: string; at: string; attempt?: number; carrier?: string; carrier_code?: string }[];
}

/** The timelines of the newest messages that an account still has. */
export async function timelinesOf(
  { id, apiKey }: { id: string; apiKey: string },
  agent: http.Agent,
): Promise<Timeline[]> {
  const messages = (await messagesOf({ operator }, id)).slice(-READ_MAX);
  const read: Timeline[] = [];
  const worker = async () => {
    for (let next = messages.pop(); next; next = messages.pop()) {
      const url = `${BASE}/v1/messages/${next.message_id}`;
      const { status, bytes } = await callOnce(url, { headers: { authorization: `Bearer ${apiKey}` }, agent });
      if (status !== 200) throw new Error(`${next.message_id} was answered ${status}: ${bytes.toString()}`);
      const { message } = JSON.parse(bytes.toString()) as { message: Pick<Timeline, "timeline"> };
      read.push({ account: id, ref: next.message_id, timeline: message.timeline });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return read;
}
