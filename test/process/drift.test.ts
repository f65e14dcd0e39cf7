import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_TOKEN, startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";
import type { OpenApi } from "../../src/openapi/types.ts";
import { Known, example, rankOf, requestsFor } from "../world/drift-requests.ts";
import type { Asked, Asking } from "../world/drift-requests.ts";
import { closed, faultsOf, operationsOf } from "../world/drift.ts";
import type { Answer, Operation } from "../world/drift.ts";

// The documents that the running service serves, against the service itself: every operation is called with the
// document's own examples and with what must be refused, and each reply must be one that the document describes.

/** Operations that cannot succeed here, with the reason. */
const NEVER_DONE: Record<string, string> = {
  operatorArchive: "an archive has what is older than months",
  importDlt: "its body is a file",
  operatorTestAlert: "this service has no channel for alerts",
};

interface Tried {
  operation: Operation;
  asked: Asked;
  answer: Answer;
}

interface Run {
  document: OpenApi;
  tried: Tried[];
}

let service: Service;
const runs: Record<string, Run> = {};

async function send({ method }: Operation, { path, headers, body }: Asked): Promise<Answer> {
  const reply = await service.call(path, { method, headers, ...(body !== undefined && { body }) });
  const flat = Object.entries(reply.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: reply.status,
    headers: Object.fromEntries(flat) as Record<string, string>,
    text: reply.bytes.toString(),
  };
}

/** Calls every operation: first to learn what exists, then for the record. */
async function tryAll(document: OpenApi, key: Asking["key"], special: Record<string, () => Promise<Asking["values"]>>) {
  const known = new Known();
  const operations = operationsOf(document).toSorted((one, other) => rankOf(one) - rankOf(other));
  const tried: Tried[] = [];
  for (const operation of operations.filter((one) => rankOf(one) < 10)) {
    const asked = example(operation, { document, known, key });
    known.learn(operation, await send(operation, asked));
  }
  for (const operation of operations) {
    const values = await special[operation.operationId]?.();
    for (const asked of requestsFor(operation, { document, known, key, ...(values && { values }) })) {
      const answer = await send(operation, asked);
      known.learn(operation, answer);
      tried.push({ operation, asked, answer });
    }
  }
  // Lists once more, with what the requests before made of their rows.
  for (const operation of operations.filter(({ method, path }) => method === "GET" && !path.includes("{"))) {
    const values = await special[operation.operationId]?.();
    const asked = example(operation, { document, known, key, ...(values && { values }) });
    tried.push({
      operation,
      asked: { ...asked, name: "its examples, at the end" },
      answer: await send(operation, asked),
    });
  }
  return tried;
}

const documentAt = async (path: string) => JSON.parse((await service.call(path)).bytes.toString()) as OpenApi;

/** A wait that ends soon. */
const atOnce = () => Promise.resolve({ timeout: "0.2" });

/** The carrier that every deployment has. */
const simulator = () => Promise.resolve({ name: "sim" });

/** Orders an SMS for later; the headers of the reply. */
async function orderLater(key: string): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const body = JSON.stringify({ phone: "9876543210", message: "Hello", sendAt });
  const reply = await service.call("/send-sms", { method: "POST", headers, body });
  return Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
}

const ofOperator = () => ({ authorization: `Bearer ${OPERATOR_TOKEN}` });

beforeAll(async () => {
  service = await startService({ set: { LOG_REQUESTS: "failures" } });
  const { testKey } = await service.openAccount(10_000);
  const ofAccount = () => ({ authorization: `Bearer ${testKey}`, "x-api-key": testKey });
  const api = closed(await documentAt("/openapi.json")) as OpenApi;
  // Only what waits can be cancelled.
  const cancelMessage = async () => ({ id: (await orderLater(testKey))["x-message-id"] ?? "" });
  const cancelRequest = async () => ({ request_id: (await orderLater(testKey))["x-request-id"] ?? "" });
  const special = { waitInTestInbox: atOnce, cancelMessage, cancelRequest };
  runs["openapi.json"] = { document: api, tried: await tryAll(api, ofAccount, special) };
  const operator = closed(await documentAt("/openapi-operator.json")) as OpenApi;
  // Only an account without a balance can be erased without giving one up.
  const empty = async () => ({ id: (await service.openAccount(0)).id });
  // Only a carrier that is there can be deleted.
  const extra = async () => {
    const body = { kind: "sim", settings: {} };
    await service.call("/operator/carriers/extra", { method: "PUT", headers: ofOperator(), body });
    return { name: "extra" };
  };
  const tried = await tryAll(operator, ofOperator, {
    operatorEraseAccount: empty,
    operatorCarrier: simulator,
    operatorTestCarrier: simulator,
    operatorDeleteCarrier: extra,
  });
  runs["openapi-operator.json"] = { document: operator, tried };
}, 240_000);
afterAll(() => service?.kill9());

/** What is wrong, one line for each reply. */
const driftOf = (document: OpenApi, tried: readonly Tried[]): string[] => {
  const operations = new Map(operationsOf(document).map((one) => [one.operationId, one]));
  return tried.flatMap(({ operation: { operationId }, asked, answer }) => {
    const operation = operations.get(operationId);
    if (!operation) return [`${operationId} is not documented`];
    const faults = faultsOf(document, operation, answer);
    return faults.map((fault) => `${operationId}, ${asked.name}: ${answer.status}, ${fault}`);
  });
};

describe.each(["openapi.json", "openapi-operator.json"])("%s", (name) => {
  const run = () => runs[name] ?? { document: {} as OpenApi, tried: [] };

  it("describes every reply of the service", () => {
    const { document, tried } = run();
    expect(tried.length).toBeGreaterThan(100);
    expect(driftOf(document, tried)).toEqual([]);
  });

  it("has examples with which every operation succeeds", () => {
    const { document, tried } = run();
    const done = new Set(
      tried.filter(({ answer }) => answer.status < 300).map(({ operation }) => operation.operationId),
    );
    const never = operationsOf(document).map(({ operationId }) => operationId);
    expect(never.filter((id) => !done.has(id) && NEVER_DONE[id] === undefined)).toEqual([]);
  });

  it("names each required field in the refusal of a request without it", () => {
    const without = run().tried.filter(({ asked }) => asked.name.startsWith("without ") && asked.body !== undefined);
    for (const { operation, asked, answer } of without) {
      if (asked.name === "without a key" || asked.name === "without parameters") continue;
      const body = JSON.parse(answer.text) as { param?: string };
      const at = [operation.operationId, answer.status, body.param];
      expect(at).toEqual([operation.operationId, 400, asked.name.slice("without ".length)]);
    }
  });

  it("leaves room for fields that replies get later", async () => {
    const text = JSON.stringify((await documentAt(`/${name}`)).components.schemas);
    expect(text).not.toContain('"additionalProperties":false');
  });
});

describe("a document that is not what the service does", () => {
  type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

  it.each<[string, (document: Json) => void]>([
    [
      "gives a field another type",
      ({ components }) => (components.schemas.Queued.properties.coins_used.type = "string"),
    ],
    ["leaves a field out", ({ components }) => delete components.schemas.Queued.properties.coins_remaining],
    ["requires a field that is not there", ({ components }) => components.schemas.Balance.required.push("owner")],
    [
      "says a constant that it is not",
      ({ components }) => (components.schemas.Balance.properties.currency.const = "EUR"),
    ],
    ["leaves a status out", ({ paths }) => delete paths["/send-sms"].post.responses[415]],
    ["leaves an error code out", ({ paths }) => paths["/send-otp"].post["x-error-codes"].splice(0, 1)],
    [
      "promises a header that does not come",
      ({ paths }) => {
        paths["/account-balance"].get.responses[200].headers["X-Message-Id"] = {
          $ref: "#/components/headers/X-Message-Id",
        };
      },
    ],
    ["gives a header another form", ({ components }) => (components.headers["X-Message-Id"].schema.pattern = "^sms_")],
    [
      "gives a reply another type",
      ({ paths }) => {
        const reply = paths["/v1/recordings"].get.responses[200];
        reply.content = { "text/csv": { schema: { type: "string" } } };
      },
    ],
    ["lacks an operation", ({ paths }) => delete paths["/v1/test/inbox/wait"]],
  ])("is found where it %s", (_, change) => {
    const { document, tried } = runs["openapi.json"] ?? { document: {} as OpenApi, tried: [] };
    const changed = structuredClone(document);
    change(changed);
    expect(driftOf(changed, tried).length).toBeGreaterThan(0);
  });
});
