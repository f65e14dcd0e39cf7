import type { Outgoing, Receipt } from "../../carriers/carrier.ts";
import { retryAfter } from "../../carriers/exchange.ts";
import type { Exchange } from "../../carriers/exchange.ts";
import { callbackUrl } from "../../carriers/table.ts";
import { valuesOf } from "../../carriers/template/placeholders.ts";
import { receiptOf, wordsOf } from "../../carriers/template/receipts.ts";
import { compiled, requestOf } from "../../carriers/template/request.ts";
import type { Filled } from "../../carriers/template/request.ts";
import { idReader, outcomeOf, rulesOf } from "../../carriers/template/rules.ts";
import { templateSettings } from "../../carriers/template/settings.ts";
import type { ReceiptSettings, TemplateSettings } from "../../carriers/template/settings.ts";
import type { Config } from "../../config/settings.ts";
import type { Outcome } from "../../model/message.ts";
import { readCarrier } from "./read.ts";
import type { GivenCarrier } from "./read.ts";

// The editor of described carriers: what would be sent for a sample message, and what pasted answers and receipts mean, by
// the functions that the carrier itself uses. Nothing is sent, and no secret is needed.

export type { Preset } from "../../carriers/template/preset.ts";

const MASK = "***";

/** The fields of the editor, with what stands in them at first. */
export const SAMPLE = {
  sampleTo: "+919876543210",
  sampleText: "Your order 4711 is on its way.",
  answerStatus: "",
  answerHeaders: "",
  answerBody: "",
  receiptQuery: "",
  receiptBody: "",
} as const;

type Sample = Readonly<Record<string, string>>;

export interface ReadAloud {
  method: string;
  /** Null where a value would lead to another path. */
  request: Filled | null;
  /** Null where none was pasted. */
  answer: { outcome: Outcome; id: string | null } | null;
  /** `none` where the settings read no receipts, `invalid` where it is not understood; null where none was pasted. */
  receipt: { receipt: Receipt | "none" | "invalid"; settings: ReceiptSettings | null } | null;
}

const pasted = (sample: Sample, name: keyof typeof SAMPLE): string => sample[name] ?? SAMPLE[name];

const sampleMessage = (sample: Sample): Outgoing => ({
  ref: "msg_sample",
  operation: "sms",
  to: pasted(sample, "sampleTo").trim(),
  attempt: 1,
  mode: "live",
  text: pasted(sample, "sampleText"),
  content: { sender: "SHOPIN" },
  audioUrl: null,
  dlt: { entityId: "1101000000000000001", templateId: "1107000000000000001", category: "service_implicit" },
});

/** `Name: value` lines; others are passed over. */
function headersOf(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split(/\r?\n/u)) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*([\t\x20-\x7E]*?)\s*$/u.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.append(name, value);
  }
  return headers;
}

/** The pasted answer as the exchange that would have brought it; null where nothing was pasted. */
function exchangeOf(sample: Sample, nowMs: number): Exchange | null {
  const [status, body] = [pasted(sample, "answerStatus").trim(), pasted(sample, "answerBody")];
  if (status === "" && body === "") return null;
  const headers = headersOf(pasted(sample, "answerHeaders"));
  const number = /^[1-5][0-9]{2}$/u.test(status) ? Number(status) : 200;
  return { kind: "answer", status: number, headers, text: body, ...retryAfter(headers, nowMs) };
}

/** The pasted receipt as the request that would have brought it; null where nothing was pasted. */
function receiptRequest(sample: Sample): Request | null {
  const [query, body] = [pasted(sample, "receiptQuery").trim(), pasted(sample, "receiptBody")];
  if (query === "" && body.trim() === "") return null;
  const search = query.includes("?") ? query.slice(query.indexOf("?") + 1) : query.includes("=") ? query : "";
  const url = `https://receipt.invalid/?${search.replace(/#.*$/u, "")}`;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return new Request(url, body.trim() === "" ? { method: "GET" } : { method: "POST", body: body.trim(), headers });
}

/** What the pasted receipt says; by id it names the carrier's own. Its signature is left out: nothing pasted has one. */
async function readReceipt(request: Request, { receipt }: TemplateSettings): Promise<ReadAloud["receipt"]> {
  if (!receipt) return { receipt: "none", settings: null };
  const { hmac: _, ...settings } = receipt;
  const ids = { note: async () => undefined, find: async (id: string) => id };
  const reading = { carrier: "sample", settings, hmacKey: undefined, ids };
  const read = await receiptOf(request, reading, wordsOf(receipt));
  return { receipt: typeof read === "string" ? "invalid" : (read[0] ?? "invalid"), settings: receipt };
}

/**
 * Reads a description as the API does, which ends the request with its first fault, but needs none of its secrets; then says
 * what it sends and understands.
 */
export async function readAloud(
  config: Config,
  name: string,
  { given, secrets, sample }: { given: GivenCarrier; secrets: readonly string[]; sample: Sample },
  nowMs: number,
): Promise<ReadAloud> {
  const masked = Object.fromEntries(secrets.map((one) => [one, MASK]));
  const read = readCarrier(config, { ...given, secrets: masked }, {});
  const settings = templateSettings.parse(read.settings);
  const values = valuesOf(sampleMessage(sample), callbackUrl(config, name, "template") ?? "", masked);
  const made = exchangeOf(sample, nowMs);
  const received = receiptRequest(sample);
  return {
    method: settings.method,
    request: requestOf(compiled(settings), values),
    answer: made && { outcome: outcomeOf(rulesOf(settings), made), id: idReader(settings.id)(made) },
    receipt: received && (await readReceipt(received, settings)),
  };
}
