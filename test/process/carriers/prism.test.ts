import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../harness/http.ts";
import { freePort } from "../../../harness/program.ts";
import type { Outgoing } from "../../../src/carriers/carrier.ts";
import { outgoing, startCarrier } from "./start-carrier.ts";

// The kinds `twilio` and `infobip` before Prism (Stoplight, Apache-2.0), which plays a provider by its published OpenAPI
// document and refuses what that does not allow. Skipped unless PRISM is the script of @stoplight/prism-cli,
// TWILIO_OPENAPI a folder with twilio_api_v2010.json of github.com/twilio/twilio-oai (MIT), and INFOBIP_OPENAPI the folder
// of infobip-openapi.test.ts.

const { PRISM = "", TWILIO_OPENAPI = "", INFOBIP_OPENAPI = "" } = process.env;
const TWILIO = path.join(TWILIO_OPENAPI, "twilio_api_v2010.json");
const INFOBIP_SMS = path.join(INFOBIP_OPENAPI, "infobip-sms-openapi.json");
const INFOBIP_VOICE = path.join(INFOBIP_OPENAPI, "infobip-voice-openapi.json");
const isThere = (document: string) => PRISM !== "" && existsSync(PRISM) && existsSync(document);

const SID = `AC${"0".repeat(32)}`;
const VOICE = { operation: "voice", text: null, audioUrl: "https://x.example/a.wav" } as const;
const TTS = { operation: "tts", content: { language: "EN", rate: 0.8 } } as const;
const DLT = { entityId: "110100001234", templateId: "1107000012345", category: "otp" } as const;

/** Prism with a document, until the test ends; returns its address. */
async function startPrism(document: string): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = spawn(process.execPath, [PRISM, "mock", "--errors", "-p", String(port), document]);
  onTestFinished(() => void program.kill());
  let said = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await until("Prism listens", async () => said.includes("is listening"), { sight: () => said });
  return url;
}

/** Submits a message to a provider that Prism plays. */
async function submitted(document: string, of: (url: string) => object, change: Partial<Outgoing>) {
  const url = await startPrism(document);
  const carrier = await startCarrier();
  onTestFinished(() => carrier.stop());
  const submission = { ...of(url), message: outgoing(change) } as Parameters<typeof carrier.submit>[0];
  return carrier.submit(submission);
}

const twilio = (url: string) => ({
  kind: "twilio",
  settings: { account_sid: SID, api_url: url, from: "+15551234567" },
  secrets: { auth_token: "t" },
});

const infobip = (url: string) => ({
  kind: "infobip",
  settings: { base_url: url, sender: "+447491163443" },
  secrets: { api_key: "k" },
});

describe.skipIf(!isThere(TWILIO))("Twilio's document (PRISM, TWILIO_OPENAPI)", () => {
  it.each<[string, Partial<Outgoing>]>([
    ["a text", { to: "+14155550123", text: "नमस्ते 👍" }],
    ["a spoken call", { to: "+14155550123", ...TTS }],
    ["a played call", { to: "+14155550123", ...VOICE }],
  ])("allows %s", async (_, change) => {
    const { outcome, seen } = await submitted(TWILIO, twilio, change);
    expect(outcome, JSON.stringify(seen)).toEqual({ kind: "submitted" });
  });

  it("does not allow a message without a number", async () => {
    const url = await startPrism(TWILIO);
    const headers = { authorization: `Basic ${btoa(`${SID}:t`)}` };
    const body = new URLSearchParams({ From: "+15551234567", Body: "Hi" });
    const reply = await fetch(`${url}/2010-04-01/Accounts/${SID}/Messages.json`, { method: "POST", headers, body });
    expect(reply.status).toBe(422);
  });
});

describe.skipIf(!isThere(INFOBIP_SMS))("Infobip's documents (PRISM, INFOBIP_OPENAPI)", () => {
  it.each<[string, string, Partial<Outgoing>]>([
    ["a text", INFOBIP_SMS, { text: "नमस्ते 👍" }],
    ["flash with DLT fields", INFOBIP_SMS, { content: { flash: true, sender: "ACME" }, dlt: DLT }],
    ["a spoken call", INFOBIP_VOICE, TTS],
    ["a played call", INFOBIP_VOICE, VOICE],
  ])("allow %s", async (_, document, change) => {
    const { outcome, seen } = await submitted(document, infobip, change);
    expect(outcome, JSON.stringify(seen)).toEqual({ kind: "submitted" });
  });
});
