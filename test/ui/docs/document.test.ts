import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../../src/config/config.ts";
import { EVENT_TYPES } from "../../../src/webhooks/types.ts";
import { openApi } from "../../../src/openapi/served.ts";
import { exampleOf, fieldsOf, operationsOf } from "../../../src/ui/docs/document.ts";
import { operationPage } from "../../../src/ui/docs/operation.ts";
import { pageMarkdown } from "../../../src/ui/docs/markdown.ts";
import { valuesOf } from "../../../src/ui/docs/reader.ts";
import { readTexts } from "../../../src/ui/docs/texts.ts";
import { socketPage, socketsOf } from "../../../src/ui/docs/socket.ts";

// What pages make of the API's document.

const config = configOf(env);
const document = await openApi(env, "api");
const texts = await readTexts(env);
const reader = { lang: "en", document, texts, values: valuesOf(config), testKey: null, signedIn: false } as const;

describe("a schema of alternatives", () => {
  const event = document.components.schemas["Event"] ?? {};

  it("has the fields of all of them, each once", () => {
    const names = fieldsOf(document, event).map(({ name }) => name);
    expect(names.filter((name) => name === "seq")).toHaveLength(1);
    expect(names).toEqual(expect.arrayContaining(["id", "type", "at", "data.message_id", "data.balance_low_at"]));
    const { type = "" } = fieldsOf(document, event).find(({ name }) => name === "type") ?? {};
    for (const one of EVENT_TYPES) expect(type).toContain(`"${one}"`);
  });

  it("has the first as its example, with ids that can be told apart", () => {
    expect(exampleOf(document, event)).toMatchObject({ id: "evt_…", data: { message_id: "msg_…" } });
  });
});

describe("the page of a WebSocket", () => {
  it("says how to connect, what goes each way, how it ends, and how to go on", () => {
    const [socket] = socketsOf(document);
    if (!socket) throw new Error("the document has no WebSocket");
    const text = pageMarkdown(socketPage(socket, reader), config.CONSOLE_URL);
    expect(text).toContain("GET ws://");
    expect(text).toContain("`Authorization: Bearer`");
    for (const heading of ["What you send", "What you get", "How it is closed", "Go on after a break", "Refusals"]) {
      expect(text).toContain(`## ${heading}\n`);
    }
    expect(text).toMatch(/\| `ping` \| .*`pong`/u);
    expect(text).toMatch(/\| `1008` \|/u);
    expect(text).toContain("| `data.message_id` |");
    expect(text).toMatch(/`too_many`/u);
  });

  it("has the reader's own test key in its sample", () => {
    const page = socketPage(socketsOf(document)[0] as never, { ...reader, testKey: "dsk_test_abc" });
    expect(JSON.stringify(page)).toContain("Bearer dsk_test_abc");
  });
});

/** The page of an operation as Markdown. */
function pageOf(id: string): string {
  const found = operationsOf(document).find(({ op }) => op.operationId === id);
  return found ? pageMarkdown(operationPage(found, reader), config.CONSOLE_URL) : "";
}

describe("the page of an operation", () => {
  it.each(["sendSms", "sendBulkSms", "sendInternationalSms", "sendOtp", "ttsCall", "makeVoiceCall"])(
    "%s, which sends, has the headers of quotes, of repetition and of the message",
    (id) => {
      const [request = "", reply = ""] = pageOf(id).split("## Headers of the reply");
      expect(request).toMatch(/## Headers of the request\n[\s\S]*\| `Idempotency-Key` \|[\s\S]*\| `Price-Quote` \|/u);
      expect(reply).toMatch(/\| `X-Message-Id` \|[^\n]*Names the message/u);
    },
  );

  it("that only reads has none of them", () => {
    expect(pageOf("listMessages")).not.toMatch(/Price-Quote|X-Message-Id` \||Headers of the request/u);
  });
});
