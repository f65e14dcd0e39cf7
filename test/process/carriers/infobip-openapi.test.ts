import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { Validator } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../harness/program.ts";
import { LANGUAGES } from "../../../src/model/message.ts";
import type { Outgoing } from "../../../src/carriers/carrier.ts";
import { outgoing, startCarrier } from "./start-carrier.ts";

// The kind `infobip` before the schemas of Infobip's published OpenAPI documents (3.210). Their licence is not stated, so
// that they are not in this repository: INFOBIP_OPENAPI is a folder with infobip-sms-openapi.json and
// infobip-voice-openapi.json of github.com/api-evangelist/infobip. Without it, this is skipped.

const FOLDER = process.env["INFOBIP_OPENAPI"] ?? "";
const FILES = { "/sms/3/messages": "infobip-sms-openapi.json", "/tts/3/advanced": "infobip-voice-openapi.json" };
const isThere = Object.values(FILES).every((name) => FOLDER !== "" && existsSync(path.join(FOLDER, name)));

type Node = Record<string, unknown>;

/** A schema with every misspelled field refused: documents of OpenAPI leave that open. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, one]) => [name, strict(one)] as const);
  const node: Node = Object.fromEntries(entries);
  const isClosed = node["type"] === "object" && node["properties"] !== undefined && node["allOf"] === undefined;
  return isClosed ? { additionalProperties: false, ...node } : node;
}

/** What is wrong with the body of a request to this path. */
function faultsOf(at: keyof typeof FILES, body: string): string[] {
  const document = JSON.parse(readFileSync(path.join(FOLDER, FILES[at]), "utf8")) as Node;
  const paths = document["paths"] as Record<string, { post: { requestBody: { content: Record<string, Node> } } }>;
  const schema = paths[at]?.post.requestBody.content["application/json"]?.["schema"] as Node;
  const whole = { ...schema, components: strict(document["components"]) } as Schema;
  return new Validator(whole, "2020-12", false).validate(JSON.parse(body)).errors.map(({ error }) => error);
}

const faults = (one: object) => faultsOf("/sms/3/messages", JSON.stringify({ messages: [one] }));

describe.skipIf(!isThere)("Infobip's own document (INFOBIP_OPENAPI)", () => {
  const asked: { at: string; body: string }[] = [];
  let base_url = "";
  let carrier: Awaited<ReturnType<typeof startCarrier>>;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        asked.push({ at: request.url ?? "", body: Buffer.concat(chunks).toString() });
        const status = { groupId: 1, id: 26, name: "PENDING_ACCEPTED" };
        response
          .setHeader("content-type", "application/json")
          .end(JSON.stringify({ messages: [{ messageId: "m", status }] }));
      });
  });

  beforeAll(async () => {
    const port = await freePort();
    await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
    base_url = `http://127.0.0.1:${port}`;
    carrier = await startCarrier();
  });

  afterAll(async () => {
    await carrier?.stop();
    server.close();
  });

  /** The one request of a message, which must be taken. */
  async function askedFor(change: Partial<Outgoing>) {
    asked.length = 0;
    const settings = { base_url, sender: "+447491163443" };
    const { outcome } = await carrier.submit({
      kind: "infobip",
      settings,
      secrets: { api_key: "k" },
      message: outgoing(change),
    });
    expect(outcome).toEqual({ kind: "submitted" });
    expect(asked).toHaveLength(1);
    return asked[0] ?? { at: "", body: "" };
  }

  const dlt = { entityId: "110100001234", templateId: "1107000012345", category: "otp" };

  it.each<[string, Partial<Outgoing>]>([
    ["a text", { text: "नमस्ते 👍" }],
    ["flash with DLT fields", { content: { flash: true, sender: "ACME" }, dlt }],
    ["DLT fields without a template", { dlt: { ...dlt, templateId: null } }],
  ])("allows %s", async (_, change) => {
    const { at, body } = await askedFor(change);
    expect(at).toBe("/sms/3/messages");
    expect(faultsOf("/sms/3/messages", body)).toEqual([]);
  });

  it("allows a call in each of its languages, and one that plays a recording", async () => {
    for (const language of LANGUAGES.filter((one) => one !== "PA")) {
      const { at, body } = await askedFor({ operation: "tts", content: { language, rate: 0.8 } });
      expect(at).toBe("/tts/3/advanced");
      expect(faultsOf("/tts/3/advanced", body), language).toEqual([]);
    }
    const { body } = await askedFor({ operation: "voice", text: null, audioUrl: "https://x.example/a.wav" });
    expect(faultsOf("/tts/3/advanced", body)).toEqual([]);
  });

  it("allows nothing misspelled, without its entity, or without a destination", () => {
    const message = { destinations: [{ to: "919876543210" }], content: { text: "Hi" } };
    expect(faults(message)).toEqual([]);
    expect(faults({ ...message, destinations: undefined })).not.toEqual([]);
    expect(faults({ ...message, sendr: "x" })).not.toEqual([]);
    const regional = { indiaDlt: { contentTemplateId: "1107" } };
    expect(faults({ ...message, options: { regional } })).not.toEqual([]);
  });
});
