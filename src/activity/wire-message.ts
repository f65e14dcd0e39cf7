import type { Config } from "../config/settings.ts";
import { showKeyId } from "../crypto/api-key.ts";
import { messageId } from "../crypto/ids.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import type { MessageDetail, RequestPage } from "../model/message-detail.ts";
import type { Content, MessageView } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { coins } from "../money/money.ts";
import type { Term } from "../search/terms.ts";
import { csvLine, streamOf } from "./csv.ts";
import { carrierCode, explain } from "./explain.ts";
import type { Source } from "./list.ts";
import { shownText } from "./message-detail.ts";

// Messages and requests as the account's own API shows them (contract §13).

const timeOf = (ms: number) => new Date(ms).toISOString();

/**
 * A message in a list: amounts in coins, times in ISO 8601. `segments` is null for calls, `send_at` for what was ordered for
 * at once.
 */
export function wireMessage(secret: GivenSecrets, ref: AccountRef, view: MessageView) {
  return {
    id: messageId(secret, ref, view.operation, view),
    request_id: view.requestId,
    operation: view.operation,
    to: view.to,
    state: view.state,
    segments: view.segments ?? null,
    cost: coins(view.charge),
    refunded: view.refunded,
    error_code: view.errorCode,
    key_id: view.keyId === null ? null : showKeyId(view.keyId),
    created_at: timeOf(view.createdAt),
    updated_at: timeOf(view.updatedAt),
    send_at: view.sendAt === undefined ? null : timeOf(view.sendAt),
  };
}

export type WireMessage = ReturnType<typeof wireMessage>;

/** The names of a message's fields, in the order in which `wireMessage` has them. */
export const WIRE_FIELDS = [
  "id",
  "request_id",
  "operation",
  "to",
  "state",
  "segments",
  "cost",
  "refunded",
  "error_code",
  "key_id",
  "created_at",
  "updated_at",
  "send_at",
] as const satisfies (keyof WireMessage)[];

/** The states of a message with their times: attempts by their numbers, carriers, and the carriers' own words. */
function timelineOf({ timeline }: MessageView) {
  return timeline.map(({ state, at, attempt, carrier, code }) => {
    const word = carrierCode(code ?? null);
    return {
      state,
      at: timeOf(at),
      ...(attempt !== undefined && { attempt }),
      ...(carrier !== undefined && { carrier }),
      ...(word !== null && { carrier_code: word }),
    };
  });
}

/** What went to the carrier with an Indian message that was matched (contract §17.2). */
function dltOf({ dlt, sender }: Content) {
  if (!dlt) return null;
  const { entityId: entity_id, templateId: template_id, category } = dlt;
  return { entity_id, template_id, header: template_id === null ? null : (sender ?? null), category };
}

/** One message with its text, times and explanation; the code of a live one-time password is masked. */
export function wireDetail(config: Config, ref: AccountRef, detail: MessageDetail) {
  const { message, content } = detail;
  return {
    ...wireMessage(config.KEY_SECRET, ref, message),
    sender: content.sender ?? null,
    dlt: dltOf(content),
    text: shownText(config, ref, detail).text,
    timeline: timelineOf(message),
    explanation: explain(message),
  };
}

/** A request, apart from its messages. */
export function wireRequest({
  requestId,
  operation,
  createdAt,
  recipients,
  byState,
  cost,
  refunded,
}: RequestPage["request"]) {
  return {
    request_id: requestId,
    operation,
    at: timeOf(createdAt),
    recipients,
    by_state: byState,
    cost: coins(cost),
    refunded: coins(refunded),
  };
}

/** The messages of a search as CSV (RFC 4180), with the fields of `wireMessage`; an empty cell is null. */
export function wireCsv(source: Source, secret: GivenSecrets, terms: Term[]): ReadableStream {
  const lineFor = (row: MessageView) => {
    const message = wireMessage(secret, source.ref, row);
    return csvLine(WIRE_FIELDS.map((name) => String(message[name] ?? "")));
  };
  return streamOf(source, terms, csvLine(WIRE_FIELDS), lineFor);
}

/** The messages of a search as JSON, one a line. */
export function wireLines(source: Source, secret: GivenSecrets, terms: Term[]): ReadableStream {
  return streamOf(source, terms, "", (row) => `${JSON.stringify(wireMessage(secret, source.ref, row))}\n`);
}
