import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { dialledCallee, parsedNumber, sendAt, textUpTo } from "../../http/fields.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceVoiceBlock } from "../../money/pricing.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { voiceReply } from "../../sending/replies.ts";
import { laterOf, sendOrder } from "../../sending/send-order.ts";

const fileId = textUpTo("fileId", 100).meta({
  description: "The `fileId` of a recording that was uploaded.",
  examples: ["file_4bK2mQ9xW1"],
});

const schema = z.object({ callee: dialledCallee, fileId, sendAt });

/** `POST /api/make-voice-call`: a call that plays a recording (contract §5.7). */
export const makeVoiceCall = (app: Api) =>
  app.post(ENDPOINTS.voice.path, authenticate(...ENDPOINTS.voice.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const unitsPerBlock = priceVoiceBlock(await currentRateCard(c.env, c.executionCtx));
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      operation: "voice" as const,
      recipients: [parsedNumber(`+${body.callee}`).number],
      price: { kind: "recording" as const, fileId: body.fileId, unitsPerBlock },
      sendAtMs,
      content: {},
      text: null,
    };
    return sendOrder(c, body, order, voiceReply(sendAtMs));
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
