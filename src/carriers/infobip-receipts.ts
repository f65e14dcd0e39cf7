import * as z from "zod";
import { readText } from "../http/streams.ts";
import type { ReceiptState } from "../model/message.ts";
import type { Receipt } from "./carrier.ts";
import { CODE_LENGTH_MAX, jsonOf, REF_LENGTH_MAX } from "./outcomes.ts";

// Infobip's delivery reports of messages and calls (contract §16.3): several in one, and the address proves them.

/** Infobip reports up to some thousand messages at once. */
const RECEIPTS_BYTES_MAX = 2_097_152;

const named = z.object({ id: z.int().optional(), name: z.string().max(CODE_LENGTH_MAX).optional() });

const result = z.object({
  messageId: z.string().min(1).max(REF_LENGTH_MAX),
  status: named.extend({ groupId: z.int() }),
  error: named.nullish(),
});

const report = z.object({ results: z.array(z.unknown()) });

/** Its message is with the operator, and not yet on the phone. */
const DELIVERED_TO_OPERATOR = 2;

/** What a group of statuses says (infobip.com/docs/essentials/response-status-and-error-codes). */
function stateOf({ groupId, id }: { groupId: number; id?: number | undefined }): ReceiptState | null {
  switch (groupId) {
    case 0:
    case 1:
      return "submitted";
    case 2:
    case 4:
      return "undelivered";
    case 3:
      return id === DELIVERED_TO_OPERATOR ? "submitted" : "delivered";
    case 5:
      return "failed";
    default:
      return null;
  }
}

function receiptOf(one: unknown): Receipt | null {
  const { data } = result.safeParse(one);
  const state = data ? stateOf(data.status) : null;
  if (!data || state === null) return null;
  const ref = data.messageId;
  if (state !== "undelivered" && state !== "failed") return { ref, state };
  // The error says why; its id 0 is "no error", and then the status says more.
  const error = data.error?.id === 0 ? undefined : data.error?.name;
  const code = error ?? data.status.name;
  return { ref, state, ...(code !== undefined && { code }) };
}

/**
 * Reads reports whose address was proved. One that cannot be understood does not hold the others back, since all of
 * them would come again with it; only where none can be, the whole is invalid.
 */
export async function readInfobipReceipts(request: Request): Promise<Receipt[] | "invalid"> {
  const text = await readText(request, RECEIPTS_BYTES_MAX).catch(() => null);
  const { data } = report.safeParse(jsonOf(text));
  if (!data) return "invalid";
  const read = data.results.map(receiptOf).filter((one) => one !== null);
  return read.length === 0 && data.results.length > 0 ? "invalid" : read;
}
