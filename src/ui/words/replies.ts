import type { Said } from "../../model/said.ts";
import { count, timeText } from "../format.ts";
import type { Lang } from "../lang.ts";

// What was done, as pages say it.

type Sentences = { [Id in Said["id"]]: (said: Extract<Said, { id: Id }>) => string };

const plural = (value: number, one: string, many: string) => `${count(value, "en")} ${value === 1 ? one : many}`;

/** Seconds of a recording with one decimal. */
const seconds = (durationMs: number) => (durationMs / 1000).toFixed(1);

/** What becomes of an order, at once or at its time. */
const isQueued = (sendAtMs: number | undefined) =>
  sendAtMs === undefined ? "is queued" : `is scheduled for ${timeText(sendAtMs, "full", "en")}`;
const inQueue = (sendAtMs: number | undefined) =>
  sendAtMs === undefined ? "कतार में है" : `${timeText(sendAtMs, "full", "hi")} के लिए शेड्यूल है`;

const sentences: Record<Lang, Sentences> = {
  en: {
    sms: ({ segments, sendAtMs }) =>
      `The SMS ${isQueued(sendAtMs)}${segments === 1 ? "" : ` in ${segments} segments`}.`,
    bulk: ({ recipients, segments, duplicates, sendAtMs }) => {
      const size = segments === 1 ? "" : ` in ${segments} segments${recipients === 1 ? "" : " each"}`;
      const left = duplicates === 0 ? "" : ` ${plural(duplicates, "duplicate was", "duplicates were")} removed.`;
      return `The SMS ${isQueued(sendAtMs)} for ${plural(recipients, "recipient", "recipients")}${size}.${left}`;
    },
    call: ({ sendAtMs }) => `The call ${isQueued(sendAtMs)}.`,
    otp: () => "The OTP is queued.",
    recording: ({ durationMs }) => `The recording is stored. It is ${seconds(durationMs)} s long.`,
  },
  hi: {
    sms: ({ segments, sendAtMs }) => `SMS ${inQueue(sendAtMs)}${segments === 1 ? "" : `, ${segments} सेगमेंट में`}।`,
    bulk: ({ recipients, segments, duplicates, sendAtMs }) => {
      const size = segments === 1 ? "" : `, ${recipients === 1 ? "" : "हर एक "}${segments} सेगमेंट में`;
      const left = duplicates === 0 ? "" : ` ${count(duplicates, "hi")} दोहराए गए नंबर हटाए गए।`;
      return `${count(recipients, "hi")} प्राप्तकर्ताओं के लिए SMS ${inQueue(sendAtMs)}${size}।${left}`;
    },
    call: ({ sendAtMs }) => `कॉल ${inQueue(sendAtMs)}।`,
    otp: () => "OTP कतार में है।",
    recording: ({ durationMs }) => `रिकॉर्डिंग सहेजी गई। यह ${seconds(durationMs)} सेकंड की है।`,
  },
};

/** What a request did, in the reader's language. */
export function saidText(said: Said, lang: Lang): string {
  // Each entry takes what has its own id, which TypeScript cannot follow through the lookup.
  const say = sentences[lang][said.id] as (of: Said) => string;
  return say(said);
}
