import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { dialledCallee, parsedNumber, sendAt, textUpTo } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { coinsAbroad, priceVoiceBlock } from "../../money/pricing.ts";
import { laterOf, ordering } from "../../sending/ordering.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { voiceReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";

const fileId = textUpTo("fileId", 100).meta({
  description: "The `fileId` of a recording that was uploaded.",
  examples: ["file_4bK2mQ9xW1"],
});

const schema = z.object({ callee: dialledCallee, fileId, sendAt });

/** A call that plays a recording, and its price. */
export const voiceOrdering = ordering({
  schema,
  numbers: "callee",
  priced: "fileId",
  text: null,
  example: { callee: "919876543210", fileId: "-" },
  order(body, card) {
    const sendAtMs = laterOf(body.sendAt);
    const { country, countryCallingCode: callingCode, number } = parsedNumber(`+${body.callee}`);
    // A call costs the same everywhere; where the card gives an SMS no price, the service does not go at all.
    const isPriced = callingCode === "91" || coinsAbroad(card, country, callingCode) !== null;
    const order = {
      kind: "voice" as const,
      operation: "voice" as const,
      recipients: [number],
      price: { kind: "recording" as const, fileId: body.fileId, unitsPerBlock: priceVoiceBlock(card) },
      sendAtMs,
      content: {},
      text: null,
      ...(!isPriced && { unpriced: { callingCode, country: country ?? null } }),
    };
    return { order, reply: voiceReply(sendAtMs) };
  },
});

/** `POST /api/make-voice-call`: a call that plays a recording (contract §5.7). */
export const makeVoiceCall = (app: Api) =>
  app.post(ENDPOINTS.voice.path, authenticate(...ENDPOINTS.voice.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { order, reply } = voiceOrdering.order(body, await currentRateCard(c.env, c.executionCtx));
    return sendOrder(c, body, order, reply);
  });

export const docs = {
  "POST /api/make-voice-call": {
    id: "makeVoiceCall",
    tag: "Calls",
    summary: "Make a call that plays a recording",
    description: "Costs two coins for each started 30 s of the recording, by the usual rate card.",
    reply: "QueuedCall",
    billable: true,
  },
} satisfies Docs;
