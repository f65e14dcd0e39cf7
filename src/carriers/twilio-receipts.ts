import { createHmac } from "node:crypto";
import { sameBytes } from "../crypto/bytes.ts";
import { readText } from "../http/streams.ts";
import type { ReceiptState } from "../model/message.ts";
import type { Receipt } from "./carrier.ts";
import { CODE_LENGTH_MAX, REF_LENGTH_MAX } from "./outcomes.ts";

// Twilio's status callbacks of messages and calls (contract §16.3): forms, signed with the account's auth token.

const RECEIPT_BYTES_MAX = 65_536;

/** `MessageStatus` (twilio.com/docs/messaging/api/message-resource). */
const MESSAGE_STATES: Readonly<Record<string, ReceiptState>> = {
  accepted: "submitted",
  scheduled: "submitted",
  queued: "submitted",
  sending: "submitted",
  sent: "submitted",
  delivered: "delivered",
  read: "delivered",
  undelivered: "undelivered",
  failed: "failed",
  canceled: "failed",
};

/** `CallStatus` (twilio.com/docs/voice/api/call-resource). */
const CALL_STATES: Readonly<Record<string, ReceiptState>> = {
  queued: "submitted",
  initiated: "submitted",
  ringing: "submitted",
  "in-progress": "submitted",
  completed: "delivered",
  busy: "undelivered",
  "no-answer": "undelivered",
  canceled: "undelivered",
  failed: "failed",
};

/** The fields as Twilio signs them: by name, each name followed by its values, each of which counts once. */
function signedFields(fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].toSorted();
  return names.flatMap((name) => [...new Set(fields.getAll(name))].toSorted().map((value) => name + value)).join("");
}

/** The address as it was given, and with its port written out or left out: Twilio signs one of them. */
function writingsOf(url: string): string[] {
  const { protocol, host, hostname, port } = new URL(url);
  const start = `${protocol}//`;
  const rest = url.slice(start.length + host.length);
  const written = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return [url, `${start}${hostname}:${written}${rest}`, `${start}${hostname}${rest}`];
}

/** Whether one of these addresses and the fields have this signature (twilio.com/docs/usage/security). */
function isSigned(token: string, given: string, url: string, fields: URLSearchParams): boolean {
  const bytes = Uint8Array.from(Buffer.from(given, "base64"));
  const text = signedFields(fields);
  return writingsOf(url).some((one) =>
    sameBytes(
      Uint8Array.from(
        createHmac("sha1", token)
          .update(one + text, "utf8")
          .digest(),
      ),
      bytes,
    ),
  );
}

function receiptOf(ref: string | null, fields: URLSearchParams): Receipt | null {
  const message = fields.get("MessageStatus");
  const call = fields.get("CallStatus");
  const [states, word] = message === null ? [CALL_STATES, call ?? ""] : [MESSAGE_STATES, message];
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  if (ref === null || ref === "" || ref.length > REF_LENGTH_MAX || state === undefined) return null;
  if (state !== "undelivered" && state !== "failed") return { ref, state };
  // A call that did not come about has no number for why; its state says it.
  const code = fields.get("ErrorCode") ?? (message === null ? word : "");
  return { ref, state, ...(code !== "" && { code: code.slice(0, CODE_LENGTH_MAX) }) };
}

/**
 * Reads a status callback to `callbackUrl` with a reference in its query. The address is the one that Twilio was given:
 * what a proxy made of it on its way is not what was signed.
 */
export async function readTwilioReceipt(
  request: Request,
  token: string | undefined,
  callbackUrl: string,
): Promise<Receipt[] | "forged" | "invalid"> {
  const given = request.headers.get("x-twilio-signature");
  const text = await readText(request, RECEIPT_BYTES_MAX).catch(() => null);
  if (token === undefined || given === null || text === null) return "forged";
  const fields = new URLSearchParams(text);
  const { search, searchParams } = new URL(request.url);
  if (!isSigned(token, given, callbackUrl + search, fields)) return "forged";
  const one = receiptOf(searchParams.get("ref"), fields);
  return one ? [one] : "invalid";
}
