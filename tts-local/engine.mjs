// Speaks the texts of calls on a developer's machine, by eSpeak NG, which is a program of its own (README.md).
import { spawn, spawnSync } from "node:child_process";
import http from "node:http";

const COMMAND = "espeak-ng";
/** Words in a minute at the rate 1. */
const WORDS_PER_MINUTE = 160;
const BODY_BYTES_MAX = 16_384;
const SPEAK_MS_MAX = 5_000;

/** eSpeak NG's voices; it has no Indian and no Australian English. */
const VOICES = {
  "en-IN": "en-gb-x-rp",
  "en-US": "en-us",
  "en-GB": "en-gb-x-rp",
  "en-AU": "en-gb-x-rp",
  "hi-IN": "hi",
  "te-IN": "te",
  "ta-IN": "ta",
  "kn-IN": "kn",
  "ml-IN": "ml",
  "bn-IN": "bn",
  "gu-IN": "gu",
  "mr-IN": "mr",
  "pa-IN": "pa",
};

/** Whether the engine is installed. */
export const isInstalled = () => spawnSync(COMMAND, ["--version"], { stdio: "ignore" }).status === 0;

/** What eSpeak NG is told, or null for a request that it can never understand. */
function askedIn(body) {
  try {
    const { text, locale, gender, rate = 1 } = JSON.parse(body);
    const isGood = typeof text === "string" && Object.hasOwn(VOICES, locale) && rate >= 0.5 && rate <= 2;
    if (!isGood) return null;
    const voice = `${VOICES[locale]}${gender === "male" ? "" : "+f2"}`;
    return { text, args: ["-v", voice, "-s", String(Math.round(WORDS_PER_MINUTE * rate)), "--stdin", "--stdout"] };
  } catch {
    return null;
  }
}

/** A WAV file of the text, which is no argument: it could begin as an option does. */
const speak = ({ text, args }) =>
  new Promise((resolve, reject) => {
    const child = spawn(COMMAND, args, { stdio: ["pipe", "pipe", "ignore"], timeout: SPEAK_MS_MAX });
    const pieces = [];
    child.on("error", reject);
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (piece) => pieces.push(piece));
    child.on("close", (code) => {
      if (code === 0 && pieces.length > 0) resolve(Buffer.concat(pieces));
      else reject(new Error(`${COMMAND} ended with ${code}`));
    });
    child.stdin.end(text);
  });

async function answer(request, response) {
  let body = "";
  request.setEncoding("utf8");
  for await (const piece of request) if (body.length <= BODY_BYTES_MAX) body += piece;
  const asked = request.method === "POST" && body.length <= BODY_BYTES_MAX ? askedIn(body) : null;
  if (!asked) return response.writeHead(400).end();
  const sound = await speak(asked).catch(() => null);
  if (!sound) return response.writeHead(503).end();
  return response.writeHead(200, { "content-type": "audio/wav", "content-length": sound.length }).end(sound);
}

/** Starts the engine on this machine alone, on a free port unless one is named; returns its address. */
export function startEngine(port = 0) {
  const server = http.createServer((request, response) => void answer(request, response));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${server.address().port}/`;
      resolve({ url, server });
    });
  });
}

if (import.meta.main) {
  if (!isInstalled()) {
    console.error(`${COMMAND} is not installed: sudo apt-get install espeak-ng`);
    process.exit(1);
  }
  const { url } = await startEngine(Number(process.argv[2] ?? 8_799));
  console.log(`The engine speaks at ${url}`);
}
