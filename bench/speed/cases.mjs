// The benchmark's cases: the server, its request, and the number of accounts.
import { PEERS } from "../peers/index.mjs";
import { HOSTS } from "../../harness/service.mjs";

const MESSAGE =
  "Your order 4711 is on its way and will be with you today between four and six. Thank you for shopping with us!";
const phoneOf = (at) => `98765${String(at).padStart(5, "0")}`;
const SMS = { phone: phoneOf(43_210), message: MESSAGE, senderId: "MYSHOP" };
const OTP = { phone: SMS.phone, otp: "048213", brandName: "My Shop" };
const bulk = (size) => ({ recipients: Array.from({ length: size }, (_, at) => phoneOf(at)), message: MESSAGE });

/** A recording of 3.7 MB: almost four minutes of silence (WAV, 8 kHz, 16 bits), in Base64. */
function recording() {
  const size = 3_700_000;
  const bytes = Buffer.alloc(size);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(size - 8, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(size - 44, 40);
  return { fileName: "bench.wav", base64Data: bytes.toString("base64") };
}

const CONNECTIONS = 32;
/** Servers whose accounts are objects, and kinds of keys that use a single account. */
const OBJECT_SERVERS = new Set(["floors", "service", "whole", "started"]);
const ALONE = new Set(["one", "poor"]);
const OUR_SERVERS = new Set(["service", "hot", "whole", "started"]);

const json = (at, body) => ({ at, body: body === null ? null : JSON.stringify(body) });
const floor = (at, body, more = {}) => ({ server: "floors", ...json(at, body), header: "X-Account", ...more });
const own = (at, host, body, more = {}) => ({ server: "service", ...json(at, body), host, ...more });
const sendSms = (more) => own("/send-sms", HOSTS.sms, SMS, more);

/** The floors with which other cases are compared. */
export const FLOOR = "floor: object call, update and insert";
export const FLOOR_ECHO = "floor: JSON echo";
/** The whole life of a message, in the bare bundle and under `npm start`. */
export const WHOLE = "send-sms and its delivery";
export const WHOLE_STARTED = `${WHOLE}, npm start`;

/**
 * By name. `keys`: `all` accounts in turn, `one` hot account, a `forged` key, or the `poor` account, which is at its
 * limit. `refused`: every reply must be a refusal. `light`: no object is called, so none has to be woken first.
 */
const OURS = {
  "floor: plain text": floor("/text", null, { light: true }),
  [FLOOR_ECHO]: floor("/echo", SMS, { light: true }),
  "floor: object call": floor("/object", SMS),
  [FLOOR]: floor("/store", SMS),
  [`${FLOOR}, one account`]: floor("/store", SMS, { keys: "one" }),
  "forged key": sendSms({ keys: "forged", refused: true, light: true }),
  "key at its limit": own("/account-balance", HOSTS.sms, null, { keys: "poor", refused: true }),
  "account-balance": own("/account-balance", HOSTS.sms, null),
  "send-sms": sendSms(),
  "send-sms, Idempotency-Key": sendSms({ once: true }),
  "send-otp": own("/send-otp", HOSTS.otp, OTP),
  "send-bulk-sms of 1": own("/send-bulk-sms", HOSTS.sms, bulk(1)),
  "send-bulk-sms of 100": own("/send-bulk-sms", HOSTS.sms, bulk(100)),
  "send-sms, one connection": sendSms({ connections: 1 }),
  "send-bulk-sms of 10,000, one connection": own("/send-bulk-sms", HOSTS.sms, bulk(10_000), { connections: 1 }),
  "upload-voice of 3.7 MB, one connection": own("/api/upload-voice", HOSTS.voice, recording(), {
    header: "X-API-Key",
    connections: 1,
  }),
  "send-sms, one account": sendSms({ server: "hot", keys: "one" }),
  [WHOLE]: sendSms({ server: "whole" }),
  [WHOLE_STARTED]: sendSms({ server: "started" }),
};

/** The cases of the installed peers: each over all accounts, and over one if the peer has accounts. */
function peerCases() {
  return Object.entries(PEERS).flatMap(([server, peer]) => {
    if (peer.missing() !== null) return [];
    const { at, body, keys } = peer.requestOf(SMS);
    const of = (more) => ({ server, at, body, ...more });
    if (keys === "none") return [[peer.title, of({ keys })]];
    return [
      [`${peer.title}, one account`, of({ keys: "one" })],
      [peer.title, of({ keys: "all" })],
    ];
  });
}

const forge = (key) => key.replace(/.$/u, (last) => (last === "0" ? "1" : "0"));

/** The keys that a case uses; the last key of our own servers is at its limit. */
function valuesOf({ server, keys = "all" }, known) {
  const open = OUR_SERVERS.has(server) ? known.slice(0, -1) : known;
  const [first] = open;
  return { all: open, one: [first], none: [""], forged: [forge(first)], poor: known.slice(-1) }[keys];
}

/** Every case; `askWith` makes the generator's request from the server's keys. */
export function allCases() {
  return [...Object.entries(OURS), ...peerCases()].map(([name, of]) => {
    const { at, host, body, header = "Authorization", once = false } = of;
    const prefix = header === "Authorization" ? "Bearer " : "";
    return {
      name,
      server: of.server,
      connections: of.connections ?? CONNECTIONS,
      refused: of.refused === true,
      light: of.light === true,
      // Wakes objects that have slept since the previous round.
      wakes: OBJECT_SERVERS.has(of.server) && of.light !== true && of.connections === undefined && !ALONE.has(of.keys),
      askWith(known) {
        const values = valuesOf(of, known).map((value) => prefix + value);
        return { at, host, body, header, once, values };
      },
    };
  });
}
