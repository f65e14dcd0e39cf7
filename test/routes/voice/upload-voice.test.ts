import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { contractSuite } from "../../world/contract.ts";
import { WAV_FORMAT, base64, mp3, mp3Claiming, mp3Tagged, png, wav } from "../../world/recordings.ts";
import { ledgerOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://voice.localhost/api/upload-voice";
const TEXT_MAX = 5 * 1024 * 1024;

const PATH = "fileName must be a bare name, without path or control characters.";
const EXTENSION = "fileName must end in .wav or .mp3.";
const size = (length: number) => `fileName must have 1 to 255 characters; it has ${length}.`;
const NOT_BASE64 = "base64Data is not standard Base64.";
const URL_SAFE = "Use the standard alphabet with + and /, not the URL-safe one.";

const SECOND = base64(wav());
/** A recording whose Base64 has padding, and both characters that the URL-safe alphabet replaces. */
const LETTERS = base64(Uint8Array.from([...wav({ seconds: 0.5 }), 0xff, 0xef, 0xbe, 0xfb]));
const padTo = (text: string, length: number) => text + "\n".repeat(length - text.length);

const upload = (world: World, fileName: string, base64Data: string, headers: Record<string, string> = {}) =>
  post(URL_OF_IT, { fileName, base64Data }, { "x-api-key": world.apiKey, ...headers });

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["x-api-key"],
  bodyBytesMax: 10 * 1024 * 1024,
  body: () => ({ fileName: "hello.wav", base64Data: SECOND }),
  rules: {
    fileName: {
      type: "string",
      required: true,
      accepted: [
        "a.wav",
        "A.WAV",
        "b.WaV",
        "नमस्ते.wav",
        "a b.c.wav",
        `${"x".repeat(251)}.wav`,
        `${"😀".repeat(251)}.wav`,
      ],
      refused: [
        { value: "", error: size(0) },
        { value: `${"x".repeat(252)}.wav`, error: size(256) },
        ...["dir/a.wav", "dir\\a.wav", "/a.wav", "../a.wav", "a\n.wav", "a\u0000.wav", "a.wav\u0007"].map((value) => ({
          value,
          error: PATH,
        })),
        ...["wav", ".wav", "a.ogg", "a.wav.exe", "a.wav ", "awav", "a.mp4", "a"].map((value) => ({
          value,
          error: EXTENSION,
        })),
      ],
    },
    base64Data: {
      type: "string",
      required: true,
      accepted: [
        base64(wav({ seconds: 2 })),
        LETTERS.replaceAll("=", ""),
        LETTERS.replaceAll(/.{76}/gu, "$&\r\n"),
        ` ${LETTERS.slice(0, 9)} ${LETTERS.slice(9)}\n`,
        padTo(SECOND, TEXT_MAX),
      ],
      refused: [
        { value: "", error: "base64Data must not be empty." },
        { value: padTo(SECOND, TEXT_MAX + 1), error: "base64Data must have at most 5242880 characters (5 MiB)." },
        {
          value: `data:audio/wav;base64,${SECOND}`,
          error: "base64Data must be Base64 alone, without a data: prefix.",
          hint: "Send what follows the comma.",
        },
        { value: LETTERS.replaceAll("+", "-").replaceAll("/", "_"), error: NOT_BASE64, hint: URL_SAFE },
        { value: `${SECOND}A`, error: NOT_BASE64 },
        { value: `${SECOND}====`, error: NOT_BASE64 },
        { value: SECOND.replace("A", "*"), error: NOT_BASE64 },
        { value: "नमस्ते", error: NOT_BASE64 },
      ],
    },
  },
  cost: 0,
  slow: true,
});

const KINDS = "The file must be WAV (PCM, µ-law, A-law) or MP3; found";

describe("upload-voice accepts", () => {
  it.each([
    ["WAV, PCM", "a.wav", wav(), "1.0"],
    ["WAV, A-law", "a.wav", wav({ format: WAV_FORMAT.alaw }), "1.0"],
    ["WAV, µ-law", "a.WAV", wav({ format: WAV_FORMAT.mulaw }), "1.0"],
    ["MP3", "a.Mp3", mp3(1.2), "1.2"],
    ["WAV of exactly 10 min", "a.wav", wav({ seconds: 600 }), "600.0"],
    ["MP3 of exactly 10 min", "a.mp3", mp3(600), "600.0"],
    ["WAV of one sample", "a.wav", wav({ seconds: 0.001 }), "0.0"],
    // A recorder that was cut off leaves a header that claims more; only the bytes count.
    ["WAV that claims 20 s and has 2 s", "a.wav", wav({ seconds: 2, claimed: 20 }), "2.0"],
    ["WAV that claims an hour and has 2 s", "a.wav", wav({ seconds: 2, claimed: 3_600 }), "2.0"],
    ["µ-law of 60 s that claims one sample", "a.wav", wav({ format: WAV_FORMAT.mulaw, seconds: 60, fact: 1 }), "60.0"],
    ["MP3 of 60 s that claims one frame", "a.mp3", mp3Claiming(1, 60), "60.0"],
    ["MP3 of 1.2 s that claims 10 min", "a.mp3", mp3Claiming(25_000, 1.2), "1.2"],
    ["MP3 behind a tag", "a.mp3", mp3Tagged(5_000, 1.2), "1.2"],
  ])("%s", async (_, name, bytes, seconds) => {
    const world = await openWorld();
    const reply = await upload(world, name, base64(bytes));
    expect(reply.body).toEqual({
      success: true,
      fileId: expect.stringMatching(/^file_[0-9A-Za-z]+$/u),
      message: `The recording is stored; it lasts ${seconds} s.`,
    });
    expect(await ledgerOf(world)).toHaveLength(1);
  });
});

describe("upload-voice refuses", () => {
  it.each([
    ["no sound", "a.wav", wav({ seconds: 0 }), "The recording has no sound in it: 0 s."],
    [
      "a header that claims missing sound",
      "a.wav",
      wav({ seconds: 0, claimed: 10 }),
      "The recording has no sound in it: 0 s.",
    ],
    [
      "a frame that is larger than its samples",
      "a.wav",
      wav({ seconds: 60, frameSize: 100 }),
      `${KINDS} a damaged WAV file.`,
    ],
    ["a frame of no bytes", "a.wav", wav({ seconds: 0, frameSize: 0 }), `${KINDS} a damaged WAV file.`],
    [
      "a count of samples without samples",
      "a.wav",
      wav({ seconds: 0, fact: 9_000 }),
      "The recording has no sound in it: 0 s.",
    ],
    ["1 ms over 10 min", "a.wav", wav({ seconds: 600.001 }), "The recording lasts 601 s; 600 s is the most."],
    ["11 min of MP3", "a.mp3", mp3(660), "The recording lasts 660 s; 600 s is the most."],
    ["a picture", "a.wav", png(), `${KINDS} PNG data.`],
    ["text", "a.mp3", new TextEncoder().encode("hello, world"), `${KINDS} data of no known kind.`],
    ["a WAV that no call can play", "a.wav", wav({ format: WAV_FORMAT.adpcm }), `${KINDS} WAV with codec number 2.`],
    ["WAV named .mp3", "a.mp3", wav(), "fileName says .mp3, the bytes are WAV."],
    ["MP3 named .wav", "a.wav", mp3(1.2), "fileName says .wav, the bytes are MP3."],
    ["half a header", "a.wav", wav().slice(0, 20), `${KINDS} a damaged WAV file.`],
  ])("%s", async (_, name, bytes, error) => {
    const world = await openWorld({ plan: "starter" });
    const reply = await upload(world, name, base64(bytes));
    expect(reply.body).toMatchObject({ code: "invalid_request", param: "base64Data", error });
    expect(reply.status).toBe(400);
    expect(reply.headers.has("ratelimit")).toBe(false);
  });

  it("suggests the right name for a misnamed file", async () => {
    expect((await upload(await openWorld(), "a.mp3", base64(wav()))).body.hint).toBe("Name it .wav.");
  });
});

describe("upload-voice keeps", () => {
  it("the bytes once per account, under one file id per upload", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const data = base64(wav({ seconds: 3 }));
    const [one, two] = [await upload(world, "a.wav", data), await upload(world, "b.wav", data)];
    await upload(other, "a.wav", data);
    expect(one.body.fileId).not.toBe(two.body.fileId);
    const mine = await env.RECORDINGS.list({ prefix: `${world.name}/` });
    expect(mine.objects).toHaveLength(1);
    expect(mine.objects[0]?.size).toBe(3_044);
    expect((await env.RECORDINGS.list({ prefix: `${other.name}/` })).objects).toHaveLength(1);
  });

  it("nothing when the account refuses", async () => {
    const world = await openWorld();
    await world.stub.amend({ status: "suspended" });
    expect((await upload(world, "a.wav", SECOND)).status).toBe(403);
    expect((await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects).toEqual([]);
  });

  it("one recording per Idempotency-Key, however its Base64 is written", async () => {
    const world = await openWorld();
    const key = { "idempotency-key": "greeting" };
    const first = await upload(world, "a.wav", LETTERS, key);
    const again = await upload(world, "a.wav", LETTERS.replaceAll("=", ""), key);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});
