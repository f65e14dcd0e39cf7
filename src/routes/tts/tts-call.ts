import * as z from "zod";
import type { Api } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { indianCallee, optional, sendAt, textUpTo } from "../../http/fields.ts";
import { LANGUAGES } from "../../model/message.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { priceTts } from "../../money/pricing.ts";
import { laterOf, ordering } from "../../sending/ordering.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { ttsReply } from "../../sending/replies.ts";
import { sendOrder } from "../../sending/send-order.ts";

/** Characters that a spoken text may have. */
const SPOKEN_LENGTH_MAX = 250;

const ACCENTS = ["91", "1", "44", "61"] as const;
const RATE = { min: 0.5, max: 2, sentence: "speakingRate must be a number from 0.5 to 2.0." };
const GENDER = "ssmlGender must be 1 (male) or 2 (female).";

const schema = z.object({
  callee: indianCallee,
  text: textUpTo("text", SPOKEN_LENGTH_MAX).meta({
    description: "What the call says.",
    examples: ["Your table is ready."],
  }),
  language: optional(
    z
      .enum(LANGUAGES, `language must be one of ${LANGUAGES.join(", ")}.`)
      .meta({ description: "The language of the text.", default: "EN", examples: ["EN"] }),
  ),
  accent: optional(
    z.enum(ACCENTS, 'accent must be one of the strings "91" (Indian), "1" (US), "44" (UK), "61" (Australian).').meta({
      description: "Of English voices: Indian, US, UK or Australian.",
      default: "91",
      examples: ["91"],
    }),
  ),
  ssmlGender: optional(
    z
      .union([z.literal(1), z.literal(2)], GENDER)
      .meta({ description: "A male voice (1) or a female one (2).", default: 2, examples: [2] }),
  ),
  speakingRate: optional(
    z
      .number(RATE.sentence)
      .min(RATE.min, RATE.sentence)
      .max(RATE.max, RATE.sentence)
      .meta({ description: "How fast it speaks: 0.8 is slow, 1.2 fast.", default: 1, examples: [1] }),
  ),
  sendAt,
});

/** A call that speaks a text, and its price. */
export const ttsOrdering = ordering({
  schema,
  numbers: "callee",
  priced: "text",
  text: { from: ["text"], max: SPOKEN_LENGTH_MAX },
  example: { callee: "9876543210", text: "-" },
  order(body, card) {
    const sendAtMs = laterOf(body.sendAt);
    const order = {
      kind: "tts" as const,
      operation: "tts" as const,
      recipients: [`+91${body.callee}`],
      price: { kind: "fixed" as const, units: priceTts(card) },
      sendAtMs,
      content: {
        language: body.language ?? "EN",
        accent: body.accent ?? "91",
        gender: body.ssmlGender ?? 2,
        rate: body.speakingRate ?? 1,
      },
      text: body.text,
    };
    return { order, reply: ttsReply(sendAtMs) };
  },
});

/** `POST /api/tts-call`: a call that speaks a text (contract §5.5). */
export const ttsCall = (app: Api) =>
  app.post(ENDPOINTS.tts.path, authenticate(...ENDPOINTS.tts.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const { order, reply } = ttsOrdering.order(body, await currentRateCard(c.env, c.executionCtx));
    return sendOrder(c, body, order, reply);
  });

export const docs = {
  "POST /api/tts-call": {
    id: "ttsCall",
    tag: "Calls",
    summary: "Make a call that speaks a text",
    description: "Costs two coins, by the usual rate card.",
    reply: "Queued",
    billable: true,
  },
} satisfies Docs;
