import path from "node:path";
import type { MakeVoiceCallBody } from "../../index.ts";
import type { Command } from "../command.ts";
import { fileBytes } from "../input.ts";
import { dialledNumber } from "../numbers.ts";
import { LATER, SENDING, laterIn, numberOf, place } from "../sending.ts";
import { usage } from "../stop.ts";

/** `dastak voice`: uploads a recording, and makes a call that plays it. */
export const voice: Command = {
  name: "voice",
  about: "Make a call that plays a recording",
  options: {
    to: { type: "string", value: "NUMBER", need: true, about: "With its country code: +919876543210" },
    file: { type: "string", value: "FILE", about: "A .wav or .mp3 to upload and play" },
    "file-id": { type: "string", value: "ID", about: "A recording that was uploaded before" },
    ...LATER,
    ...SENDING,
  },
  examples: ["dastak voice --to +919876543210 --file greeting.wav"],
  async run(context, given) {
    const callee = numberOf(given, "to", dialledNumber);
    const [file, known] = [given.text("file"), given.text("file-id")];
    if ((file === undefined) === (known === undefined)) throw usage("Either --file or --file-id is needed.");
    const upload =
      file === undefined ? null : { fileName: path.basename(file), base64Data: fileBytes(file).toString("base64") };
    if (upload && given.flag("dry-run")) throw usage("--dry-run needs --file-id: the price depends on the recording.");
    const body: MakeVoiceCallBody = { callee, fileId: known ?? "", ...laterIn(given) };
    await place(context, given, {
      asked: { operation: "voice", ...body },
      base: "voice",
      path: "/api/make-voice-call",
      body,
      async send(client, options) {
        // A key of its own for each request, so that the command can be run again as a whole.
        const uploadKey = `${options.idempotencyKey ?? ""}:upload`;
        const fileId = known ?? (upload && (await client.uploadVoice(upload, { idempotencyKey: uploadKey })).fileId);
        return { ...(await client.makeVoiceCall({ ...body, fileId: fileId ?? "" }, options)), file_id: fileId };
      },
    });
  },
};
