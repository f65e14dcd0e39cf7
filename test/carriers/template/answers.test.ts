import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Seen } from "../../../src/carriers/carrier.ts";
import type { CarrierIds } from "../../../src/carriers/ids.ts";
import type { Outcome } from "../../../src/model/message.ts";
import { CALLBACK_URL, MESSAGE, TOKEN, carrierOf } from "../suite-template.ts";
import type { Given } from "../suite-template.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The outcome of one submission that is answered so, and the id that was read. */
async function submitted(given: Partial<Given>, answer: () => Response, ids?: CarrierIds) {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    await new Response(init?.body ?? null).text();
    return answer();
  });
  let seen: Seen | null = null;
  const carrier = carrierOf({ url: "http://gateway.test/send", ...given }, { hmac_key: "key" }, ids);
  const outcome: Outcome = await carrier.submit(MESSAGE, (one) => {
    seen = one;
  });
  return { outcome, id: (seen as Seen | null)?.carrierId };
}

const outcomeOf = async (given: Partial<Given>, answer: () => Response) => (await submitted(given, answer)).outcome;
const status = (one: number) => () => new Response("{}", { status: one });

describe("without rules", () => {
  it.each([
    ["submitted", [200, 201, 202, 299]],
    ["not_accepted", [429, 503, 401, 402, 403, 521]],
    ["rejected", [400, 404, 409, 413, 422, 499]],
    ["unknown", [408, 425, 500, 502, 504, 520, 300, 302]],
  ])("an answer is %s: %j", async (kind, statuses) => {
    for (const one of statuses) expect((await outcomeOf({}, status(one))).kind, String(one)).toBe(kind);
  });
});

const broken = (one: number) => () =>
  new Response(new ReadableStream({ pull: (c) => c.error(new Error("reset")) }), { status: one });

const cut = () => {
  throw new TypeError("Network connection lost.");
};

describe("rules", () => {
  const given: Partial<Given> = {
    busy: [{ status: 200, json: { "m.0.code": ["1", "8"] } }],
    rejected: [{ json: { "m.0.code": "2" } }, { status: ["4xx"], body: "bad (?:number|text)" }],
    accepted: [{ status: [200, "3xx"], json: { "m.0.code": "0", ok: "true" }, body: "id" }],
  };
  const said = (code: unknown, init: ResponseInit = {}, more = {}) =>
    outcomeOf(given, () => Response.json({ m: [{ code }], id: 1, ...more }, init));

  it("are asked in the order busy, rejected, accepted, on numbers and texts alike", async () => {
    expect(await said(1)).toEqual({ kind: "not_accepted", code: "http_200" });
    expect(await said("8", { headers: { "retry-after": "3" } })).toMatchObject({ retryAfterMs: 3_000 });
    expect(await said("2")).toEqual({ kind: "rejected", code: "http_200" });
    expect(await said(0, {}, { ok: true })).toEqual({ kind: "submitted" });
  });

  it("fit only where every part does; where none fits, it is unknown but for the own account's trouble", async () => {
    expect(await said(0)).toEqual({ kind: "unknown", code: "http_200" });
    expect(await said(1, { status: 201 })).toEqual({ kind: "unknown", code: "http_201" });
    expect(await outcomeOf(given, () => new Response("bad number", { status: 404 }))).toMatchObject({
      kind: "rejected",
    });
    expect(await outcomeOf(given, () => new Response("bad day", { status: 404 }))).toMatchObject({ kind: "unknown" });
    expect(await outcomeOf(given, () => new Response("no credit", { status: 402 }))).toMatchObject({
      kind: "not_accepted",
    });
    expect(await outcomeOf(given, status(429))).toMatchObject({ kind: "unknown" });
  });

  it("whose text could not be read leave it unknown, unless their status does not fit", async () => {
    expect(await outcomeOf(given, broken(200))).toEqual({ kind: "unknown", code: "answer_unreadable" });
    expect(await outcomeOf({ rejected: [{ status: 400, body: "x" }] }, broken(200))).toEqual({ kind: "submitted" });
    expect(await outcomeOf({}, broken(422))).toMatchObject({ kind: "rejected" });
  });

  it("cannot make an exchange that broke off anything but unknown", async () => {
    const wide = { accepted: [{ body: "." }], rejected: [{ status: "5xx" as const }] };
    expect(await outcomeOf(wide, cut)).toEqual({ kind: "unknown", code: "connection_broken" });
  });
});

describe("the id of an answer", () => {
  it.each<[Given["id"], () => Response, string | null]>([
    [{ json: "m.0.id" }, () => new Response('{"m":[{"id":1234567890123456789}]}'), "1234567890123456789"],
    [{ json: "m.0.id" }, () => new Response('{"m":[{"id":"a-1"}]}'), "a-1"],
    [{ json: "m" }, () => new Response('{"m":[1]}'), null],
    [{ json: "constructor" }, () => new Response("{}"), null],
    [{ header: "X-Id" }, () => new Response("", { headers: { "x-id": "h-1" } }), "h-1"],
    [{ body: "^OK: (\\S+)" }, () => new Response("OK: 17 rest"), "17"],
    [{ body: "^OK: (\\S+)" }, () => new Response("no"), null],
    [{ json: "id" }, () => Response.json({ id: "x".repeat(201) }), null],
  ])("%j is read exactly", async (id, answer, found) => {
    expect((await submitted({ id }, answer)).id).toBe(found);
  });
});

/** A store that keeps everything in memory. */
function storedIds() {
  const known = new Map<string, string>();
  const early: unknown[] = [];
  const ids: CarrierIds = {
    note: async (id, ref) => void known.set(id, ref),
    find: async (id, receipt) => {
      const ref = known.get(id) ?? null;
      if (ref === null) early.push({ id, ...receipt });
      return ref;
    },
  };
  return { ids, early };
}

const receipt = (id: string) => new Request(`${CALLBACK_URL}?mid=${id}&st=1&err=0`);

describe("receipts by the carrier's id", () => {
  const given: Given = {
    url: "http://gateway.test/send",
    id: { json: "id" },
    receipt: { id: "mid", state: "st", states: { "1": "delivered" }, code: "err" },
  };

  it("are of the message that the answer gave the id to", async () => {
    const { ids } = storedIds();
    await submitted(given, () => Response.json({ id: 4711 }), ids);
    const read = await carrierOf(given, {}, ids).receipts?.(receipt("4711"), TOKEN);
    expect(read).toEqual([{ ref: "msg_1", state: "delivered", code: "0" }]);
  });

  it("that come before the answer are told to the store", async () => {
    const { ids, early } = storedIds();
    expect(await carrierOf(given, {}, ids).receipts?.(receipt("4711"), TOKEN)).toEqual([]);
    expect(early).toEqual([{ id: "4711", state: "delivered", code: "0" }]);
  });

  it("are without effect where nothing is stored, and a store that is away changes no outcome", async () => {
    expect(await carrierOf(given).receipts?.(receipt("4711"), TOKEN)).toEqual([]);
    const away = { note: () => Promise.reject(new Error("away")), find: async () => null };
    expect((await submitted(given, () => Response.json({ id: 1 }), away)).outcome).toEqual({ kind: "submitted" });
  });
});

const post = (body: string, headers = {}) => new Request(CALLBACK_URL, { method: "POST", body, headers });

describe("a receipt", () => {
  const settings = { ref: "r.id", state: "r.st", states: { Ok: "delivered" as const }, code: "r.err" };
  const read = (request: Request, receipt: Given["receipt"] = settings) =>
    carrierOf({ url: "http://gateway.test/send", receipt }, { hmac_key: "key" }).receipts?.(request, TOKEN);
  const GOOD = '{"r":{"id":"m","st":"OK","err":null}}';

  it("in JSON has dotted paths; a field that is missing there may stand in the address", async () => {
    expect(await read(post(GOOD))).toEqual([{ ref: "m", state: "delivered", code: "null" }]);
    const half = new Request(`${CALLBACK_URL}?r.id=m`, { method: "POST", body: '{"r":{"st":"ok"}}' });
    expect(await read(half)).toEqual([{ ref: "m", state: "delivered" }]);
  });

  it.each(["", "{", "[]", '{"r":{"st":"ok"}}', '{"r":{"id":{},"st":"ok"}}', "r.id=m", "r.id=m&r.st=no"])(
    "of %j is invalid",
    async (body) => {
      expect(await read(post(body))).toBe("invalid");
    },
  );

  it("that is too large or no text is invalid", async () => {
    expect(await read(post(" ".repeat(65_537)))).toBe("invalid");
    const bytes = new Request(CALLBACK_URL, { method: "POST", body: Uint8Array.of(0xff, 0xfe) });
    expect(await read(bytes)).toBe("invalid");
  });

  it.each(["hex", "base64"] as const)("with a signature in %s is proved by the bytes of its body", async (encoding) => {
    const signed = { ...settings, hmac: { header: "X-Sign", encoding } };
    const right = createHmac("sha256", "key").update(GOOD).digest(encoding);
    expect(await read(post(GOOD, { "x-sign": right }), signed)).toHaveLength(1);
    const wrong = createHmac("sha256", "other").update(GOOD).digest(encoding);
    for (const one of [wrong, "", right.slice(0, -2), `${right}x`, "*".repeat(right.length)]) {
      expect(await read(post(GOOD, { "x-sign": one }), signed), one).toBe("forged");
    }
    expect(await read(post(`${GOOD} `, { "x-sign": right }), signed)).toBe("forged");
    expect(await read(post(GOOD), signed)).toBe("forged");
  });
});
