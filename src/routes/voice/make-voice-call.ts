import * as z from "zod";
import { settings } from "../../app.ts";
import type { Api } from "../../app.ts";
import { authenticate } from "../../auth.ts";
import { bill } from "../../billing.ts";
import { jsonBody } from "../../body.ts";
import { dialledCallee, parsedNumber, textUpTo } from "../../fields.ts";
import { priceVoiceBlock } from "../../pricing.ts";
import { currentRateCard } from "../../rate-card.ts";
import { VOICE_REPLY } from "../../replies.ts";

const schema = z.object({ callee: dialledCallee, fileId: textUpTo("fileId", 100) });

/** `POST /api/make-voice-call`: a call that plays a recording (contract §5.7). */
export const makeVoiceCall = (app: Api) =>
  app.post("/api/make-voice-call", authenticate("x-api-key"), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const unitsPerBlock = priceVoiceBlock(await currentRateCard(c.env.RECORDINGS));
    const order = {
      operation: "voice" as const,
      recipients: [parsedNumber(`+${body.callee}`).number],
      price: { kind: "recording" as const, fileId: body.fileId, unitsPerBlock },
      content: {},
      text: null,
      validityMs: settings(c).VALIDITY_CALL_MS,
    };
    return bill(c, body, order, VOICE_REPLY);
  });
