import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endPrograms, freePort, Program, ROOT } from "../../../harness/program.ts";
import { until } from "../../../harness/http.ts";
import type { Outgoing } from "../../../src/carriers/carrier.ts";
import { outgoing, startCarrier } from "./start-carrier.ts";

// The kind `twilio` beside a Twilio of others' making: emulate (Vercel, Apache-2.0), which keeps messages and calls, refuses
// wrong credentials and fields, and signs its callbacks. It knows one number to send from.

const SID = `AC${"0".repeat(32)}`;
const TOKEN = "twilio_test_auth_token";
const FROM = "+15551234567";

let url = "";
let carrier: Awaited<ReturnType<typeof startCarrier>>;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const script = path.join(ROOT, "node_modules/emulate/dist/index.js");
  const program = new Program([script, "start", "--service", "twilio", "--port", String(port)]);
  const answers = async () => (await fetch(url).catch(() => null)) !== null;
  await until("emulate answers", answers, { sight: () => program.output });
  carrier = await startCarrier();
});

afterAll(async () => {
  await carrier?.stop();
  await endPrograms();
});

const submit = (change: Partial<Outgoing>, auth_token = TOKEN) =>
  carrier.submit({
    kind: "twilio",
    settings: { account_sid: SID, api_url: url, from: FROM },
    secrets: { auth_token },
    message: outgoing({ to: "+14155550123", ...change }),
  });

const headers = {
  authorization: `Basic ${btoa(`${SID}:${TOKEN}`)}`,
  "content-type": "application/x-www-form-urlencoded",
};

/** What Twilio has of a message or call. */
async function kept(what: "Messages" | "Calls", sid: string) {
  const reply = await fetch(`${url}/2010-04-01/Accounts/${SID}/${what}/${sid}.json`, { headers });
  return (await reply.json()) as Record<string, unknown>;
}

/** Lets Twilio go on to a state, of which it tells the callback address. */
async function become(what: "Messages" | "Calls", sid: string, state: string): Promise<void> {
  const body = new URLSearchParams({ Status: state }).toString();
  const at = `${url}/2010-04-01/Accounts/${SID}/${what}/${sid}.json`;
  expect((await fetch(at, { method: "POST", headers, body })).status).toBe(200);
}

const receiptOf = (ref: string, state: string) => async () =>
  (await carrier.receipts()).some((one) => typeof one !== "string" && one.ref === ref && one.state === state);

describe("emulate's Twilio", () => {
  it("takes a message as it was meant, and its signed callback is proved", async () => {
    const { outcome, seen } = await submit({ ref: "msg_text", text: "नमस्ते + 1 & 2" });
    expect(outcome).toEqual({ kind: "submitted" });
    const sid = seen?.carrierId ?? "";
    expect(sid).toMatch(/^SM[0-9a-f]{32}$/u);
    expect(await kept("Messages", sid)).toMatchObject({ to: "+14155550123", from: FROM, body: "नमस्ते + 1 & 2" });
    await become("Messages", sid, "delivered");
    await until("the receipt", receiptOf("msg_text", "delivered"));
    expect(await carrier.receipts()).not.toContain("forged");
  });

  it.each([
    ["says a text", { ref: "msg_say", operation: "tts", text: "A & B", content: { language: "HI" } }],
    [
      "plays a recording",
      { ref: "msg_play", operation: "voice", text: null, audioUrl: "https://x.example/a.wav?a=1&b=2" },
    ],
  ] as const)("takes a call that %s, and reports it", async (_, change) => {
    const { outcome, seen } = await submit(change);
    expect(outcome).toEqual({ kind: "submitted" });
    const sid = seen?.carrierId ?? "";
    expect(await kept("Calls", sid)).toMatchObject({ to: "+14155550123", from: FROM });
    await become("Calls", sid, "completed");
    await until("the receipt", receiptOf(change.ref, "delivered"));
    expect(await carrier.receipts()).not.toContain("forged");
  });

  it("takes nothing with another token, and refuses a number for good", async () => {
    expect((await submit({ ref: "msg_wrong" }, "another")).outcome).toEqual({ kind: "not_accepted", code: "20003" });
    expect((await submit({ ref: "msg_to", to: "12" })).outcome).toMatchObject({ kind: "rejected" });
  });

  it("has callbacks that are not proved by another account's token", async () => {
    const { seen } = await submit({ ref: "msg_forged" });
    // From now on the carrier has another token than the one that Twilio signs with.
    await submit({ ref: "msg_other" }, "another");
    await become("Messages", seen?.carrierId ?? "", "delivered");
    await until("the receipt", async () => (await carrier.receipts()).includes("forged"));
    expect(await receiptOf("msg_forged", "delivered")()).toBe(false);
  });
});
