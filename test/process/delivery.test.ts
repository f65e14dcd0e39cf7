import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, differencesOf, ledgerOf, messagesOf } from "../../harness/books.ts";
import type { MessageRow } from "../../harness/books.ts";
import { ACCEPT, BUSY, HANG, REJECT, RESET, startGateway } from "../../harness/gateway.ts";
import type { Answer, Gateway, Taken } from "../../harness/gateway.ts";
import { call, until } from "../../harness/http.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";

// Messages from the request to their final state, over the real local queues and alarms.

/** Short enough to wait for, long enough for a busy machine. */
const SHORT = {
  CARRIER_TIMEOUT_MS: "1500",
  UNKNOWN_WINDOW_MS: "3000",
  RECEIPT_WINDOW_MS: "4000",
  RETRY_BASE_MS: "200",
  SWEEP_MS: "500",
};

const OPENING = 1_000;

let gateway: Gateway;
let service: Service;
let customer: Customer;

beforeAll(async () => {
  gateway = await startGateway();
  service = await startService({ set: { ...SHORT, ...gateway.settings } });
});

afterAll(async () => {
  await service?.kill9();
  await gateway?.close();
});

beforeEach(async () => {
  gateway.decide = () => ACCEPT;
  customer = await service.openAccount(OPENING);
});

let numbers = 9_100_000_000;

/** Sets the gateway's answers to the submissions for one number, in order; the last one is repeated. */
function answering(to: string, ...answers: Answer[]): void {
  gateway.decide = (submission, before) =>
    submission.to === to ? (answers[before.length] ?? answers.at(-1) ?? ACCEPT) : ACCEPT;
}

/** Sends one SMS to an unused number; `answers` are the gateway's. Returns the number in E.164. */
async function send(...answers: Answer[]): Promise<string> {
  const phone = String(numbers++);
  const to = `+91${phone}`;
  answering(to, ...answers);
  const reply = await service.post(customer.apiKey, "/send-sms", { phone, message: "Knock, knock" });
  expect(reply.body).toMatchObject({ success: true, coins_used: 1, coins_remaining: OPENING - 1 });
  return to;
}

async function only(mode: "live" | "test" = "live"): Promise<MessageRow> {
  const messages = await messagesOf(service, customer.id, mode);
  expect(messages).toHaveLength(1);
  return messages[0]!;
}

/** Waits until the account's only message is in this state. */
async function reaches(state: string, mode: "live" | "test" = "live"): Promise<MessageRow> {
  let last: MessageRow | undefined;
  const ask = async () => {
    last = await only(mode);
    return last.state === state && last;
  };
  return until(`the message is ${state}`, ask, { sight: () => last });
}

const arrives = (to: string): Promise<Taken> => until("the gateway gets it", () => gateway.for(to)[0] ?? null);

/** Waits for the refund of the message, and asserts that there is only one. */
async function isRefunded(mode: "live" | "test" = "live", opening = OPENING): Promise<void> {
  const refunds = async () => (await ledgerOf(service, customer.id, mode)).filter(({ type }) => type === "refund");
  await until("the refund", async () => (await refunds()).length > 0);
  const { message_id: id } = await only(mode);
  expect(await refunds()).toMatchObject([{ amount: 1, message_id: id, reference: `refund:${id}` }]);
  expect(await balanceOf(service, customer.id, mode)).toBe(opening);
  expect(await differencesOf(service, customer.id)).toEqual([]);
}

/** A WAV file of silence: 8 kHz, 8 bits, mono. */
function wav(seconds: number): Buffer {
  const size = 8_000 * seconds;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + size, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(size, 128)]);
}

describe("through a gateway", () => {
  it("submits a signed message once, and accepts repeated receipts in any order", async () => {
    const to = await send();
    const taken = await arrives(to);
    expect(taken.signed).toBe(true);
    const { message_id: ref } = await only();
    expect(taken).toMatchObject({ ref, operation: "sms", to, text: "Knock, knock" });
    await reaches("submitted");
    for (const state of ["delivered", "submitted", "undelivered", "failed", "delivered"] as const) {
      expect(await gateway.receipt(taken, state)).toBe(200);
      expect((await only()).state).toBe("delivered");
    }
    expect(await balanceOf(service, customer.id)).toBe(OPENING - 1);
    expect(gateway.for(to)).toHaveLength(1);
  });

  it("refunds a message that the gateway rejects", async () => {
    const to = await send(REJECT);
    expect(await reaches("failed")).toMatchObject({ error_code: "http_422", attempts: 1, charge: 1 });
    await isRefunded();
    expect(gateway.for(to)).toHaveLength(1);
  });

  it("refunds a message whose receipt reports a failure", async () => {
    const taken = await arrives(await send());
    await reaches("submitted");
    expect(await gateway.receipt(taken, "failed", "no_route")).toBe(200);
    expect(await only()).toMatchObject({ state: "failed", error_code: "no_route" });
    await isRefunded();
  });

  it("retries under the same reference while the gateway is busy", async () => {
    const to = await send(BUSY, BUSY, ACCEPT);
    expect(await reaches("submitted")).toMatchObject({ attempts: 3 });
    const calls = gateway.for(to);
    expect(calls).toHaveLength(3);
    expect(new Set(calls.map(({ ref }) => ref)).size).toBe(1);
    expect(calls.every(({ signed }) => signed)).toBe(true);
    expect(await balanceOf(service, customer.id)).toBe(OPENING - 1);
  });

  const unclear: [string, Answer, string][] = [
    ["does not answer in time", HANG, "timeout"],
    ["answers with 500", { does: "answer", status: 500 }, "http_500"],
    ["resets the connection after reading the message", RESET, "connection_broken"],
  ];

  it.each(unclear)("never submits again, and refunds in the end, when the gateway %s", async (_what, answer, code) => {
    const to = await send(answer);
    expect(await reaches("unknown")).toMatchObject({ error_code: code, attempts: 1 });
    expect(await balanceOf(service, customer.id)).toBe(OPENING - 1);
    await isRefunded();
    expect(gateway.for(to)).toHaveLength(1);

    // A late receipt corrects the state, but never takes the refund back.
    expect(await gateway.receipt(gateway.for(to)[0]!, "delivered")).toBe(200);
    expect((await only()).state).toBe("delivered");
    expect(await balanceOf(service, customer.id)).toBe(OPENING);
  });

  it("waits as long as the gateway's Retry-After asks, and for a slow answer", async () => {
    const later: Answer = { does: "answer", status: 429, headers: { "retry-after": "1" } };
    const sentAt = Date.now();
    const to = await send(later, { does: "answer", status: 202, afterMs: 300 });
    expect(await reaches("submitted")).toMatchObject({ attempts: 2, error_code: null });
    expect(Date.now() - sentAt).toBeGreaterThanOrEqual(1_300);
    expect(gateway.for(to)).toHaveLength(2);
  });

  it("waits for a gateway that is not listening", async () => {
    await gateway.close();
    const to = await send();
    try {
      const refused = async () => (await only()).error_code === "connection_refused";
      await until("an attempt finds nobody", refused, { sight: only });
    } finally {
      await gateway.listen();
    }
    await reaches("submitted");
    expect(gateway.for(to)).toHaveLength(1);
    expect(await gateway.receipt(gateway.for(to)[0]!, "delivered")).toBe(200);
    expect((await only()).state).toBe("delivered");
  });

  it("keeps the charge of a message that no receipt confirms", async () => {
    await send();
    await reaches("unconfirmed");
    expect(await balanceOf(service, customer.id)).toBe(OPENING - 1);
  });

  it("sends a bulk to each of its 250 recipients once", async () => {
    const recipients = Array.from({ length: 250 }, () => String(numbers++));
    const body = { recipients, message: "To all of you" };
    const reply = await service.post(customer.apiKey, "/send-bulk-sms", body);
    expect(reply.body).toMatchObject({ coins_used: 250, coins_remaining: OPENING - 250 });
    const submitted = async () => {
      const messages = await messagesOf(service, customer.id);
      return messages.length === 250 && messages.every(({ state }) => /submitted|unconfirmed/u.test(state));
    };
    await until("all are submitted", submitted);
    const wanted = new Set(recipients.map((phone) => `+91${phone}`));
    const taken = gateway.log.filter(({ to }) => wanted.has(to));
    expect(taken).toHaveLength(250);
    expect(new Set(taken.map(({ to }) => to))).toEqual(wanted);
    expect(new Set(taken.map(({ ref }) => ref)).size).toBe(250);
  });
});

describe("a voice call", () => {
  it("lets the gateway fetch its recording with GET, HEAD and Range", async () => {
    const recording = wav(1);
    const upload = { fileName: "greeting.wav", base64Data: recording.toString("base64") };
    const { fileId } = (await service.post(customer.apiKey, "/api/upload-voice", upload)).body;
    const phone = String(numbers++);
    const reply = await service.post(customer.apiKey, "/api/make-voice-call", { callee: `91${phone}`, fileId });
    expect(reply.body).toMatchObject({ success: true, coins_used: 2, coins_remaining: OPENING - 2 });
    const taken = await arrives(`+91${phone}`);
    expect(taken).toMatchObject({ ref: reply.body.callId, operation: "voice", signed: true });
    const url = taken.audio_url ?? "";

    const whole = await call(url);
    expect([whole.status, whole.headers["content-type"]]).toEqual([200, "audio/wav"]);
    expect(whole.bytes.equals(recording)).toBe(true);
    const head = await call(url, { method: "HEAD" });
    expect([head.status, head.bytes.length, head.headers["content-length"]]).toEqual([200, 0, `${recording.length}`]);
    expect(head.headers["accept-ranges"]).toBe("bytes");
    const part = await call(url, { headers: { range: "bytes=10-99" } });
    expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 10-99/${recording.length}`]);
    expect(part.bytes.equals(recording.subarray(10, 100))).toBe(true);
    const tail = await call(url, { headers: { range: "bytes=-50" } });
    expect([tail.status, tail.bytes.equals(recording.subarray(-50))]).toEqual([206, true]);
    const beyond = await call(url, { headers: { range: `bytes=${recording.length}-` } });
    expect(beyond.status).toBe(416);
    expect((await call(`${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}`)).status).toBe(404);

    await reaches("submitted");
    expect(await gateway.receipt(taken, "delivered")).toBe(200);
    expect((await only()).state).toBe("delivered");
  });
});

describe("with a test key, even though a gateway is configured", () => {
  const PLAY = 100_000;
  const endings: [string, string, Partial<MessageRow>, boolean][] = [
    ["00", "delivered", { attempts: 1 }, false],
    ["01", "failed", { attempts: 1, error_code: "rejected_by_carrier" }, true],
    ["02", "undelivered", { attempts: 1 }, false],
    ["03", "unconfirmed", { attempts: 1 }, false],
    ["04", "delivered", { attempts: 3 }, false],
    ["05", "unknown", { attempts: 1 }, true],
  ];

  it.each(endings)("70000000%s ends as %s in the simulator", async (end, state, more, paidBack) => {
    const phone = `70000000${end}`;
    const reply = await service.post(customer.testKey, "/send-sms", { phone, message: "Play" });
    expect(reply.body).toMatchObject({ success: true, coins_used: 1, coins_remaining: PLAY - 1 });
    expect(await reaches(state, "test")).toMatchObject({ ...more, carrier: "sim" });
    if (paidBack) await isRefunded("test", PLAY);
    else expect(await balanceOf(service, customer.id, "test")).toBe(PLAY - 1);
    expect(gateway.for(`+91${phone}`)).toEqual([]);
    expect(await balanceOf(service, customer.id)).toBe(OPENING);
  });
});
