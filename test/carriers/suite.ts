import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Outgoing, Receipt } from "../../src/carriers/carrier.ts";
import { configOf } from "../../src/config/config.ts";
import type { ReceiptState } from "../../src/model/message.ts";

// What every carrier that speaks HTTP does, whatever its kind: one submission is one request, and each answer, each
// silence and each receipt means what contract §9 and §16 say. A kind describes itself as a `KindUnderTest`.

/** What a gateway got, in words that all kinds share; null where the kind has no such field. */
export interface Got {
  ref: string | null;
  to: string;
  text: string | null;
  sender: string | null;
  flash: boolean | null;
  dltEntity: string | null;
  dltTemplate: string | null;
}

/** A kind, with a gateway that speaks its language. */
export interface KindUnderTest {
  title: string;
  carrier: () => Carrier;
  /** Reads a request as the gateway does. */
  read: (request: Request) => Promise<Got>;
  /** The gateway's answers. */
  taken: () => Response;
  refused: () => Response;
  busy: (headers?: Record<string, string>) => Response;
  /** That the deployment's own account is in trouble: nothing is wrong with the message; null where no answer says so. */
  ownTrouble: (() => Response) | null;
  /** An answer that would be taken, longer than is read, and what it means. */
  tooLong: "submitted" | "unknown";
  /** Whether it has no fields for DLT: its carrier's own console has them. */
  isWithoutDlt?: boolean;
  /** Whether it is certain that a request which found no connection did not leave. */
  isSureNotConnected: boolean;
  /** A receipt as the gateway sends it, proved; `forged` says what is wrong with its proof. */
  receipt: (
    ref: string,
    state: ReceiptState,
    forged?: "unproved" | "wrong",
  ) => { request: Request; token: string | null };
  /** A receipt whose proof is right and whose state is no word of the kind. */
  unknownWord: (ref: string) => { request: Request; token: string | null };
}

const NOW_MS = 1_790_000_000_000;

const MESSAGE: Outgoing = {
  ref: "msg_1a2b3c",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "Your order is on its way.",
  content: { sender: "DASTAK" },
  audioUrl: null,
};

type Gateway = (request: Request, init: RequestInit) => Promise<Response>;

/** Rejects when the carrier gives the request up. */
const givenUp = (init: RequestInit): Promise<never> =>
  new Promise((_, reject) => {
    const { signal } = init;
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });

const lost = () => new TypeError("Network connection lost.");

const read = async (init: RequestInit) => new Response(init.body ?? null).text();

const elsewhere = () => new Response(null, { status: 307, headers: { location: "http://elsewhere.test" } });

const said = (ref: string, state: ReceiptState) => [expect.objectContaining({ ref, state }) as Receipt];

/** The suite; `config` is with a timeout that tests can wait for. */
export const SUITE_CONFIG = configOf({ ...env, CARRIER_TIMEOUT_MS: "20" });

export function suite(kind: KindUnderTest): void {
  describe(kind.title, () => of(kind));
}

function of(kind: KindUnderTest): void {
  let gateway: Gateway;
  let inits: RequestInit[] = [];

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
    inits = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init = {}) => {
      inits.push(init);
      return gateway(new Request(input), init);
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const reads = ({ request, token }: { request: Request; token: string | null }) =>
    kind.carrier().receipts?.(request, token);

  /** What a message's submission came to, with what the gateway read; it must be one request. */
  async function submitted(change: Partial<Outgoing>, answer: () => Response) {
    let got: Got | null = null;
    gateway = async (request, init) => {
      const { method = "GET", headers = {} } = init;
      const body = await read(init);
      const whole = { method, headers, ...(method === "POST" && { body }) };
      got = await kind.read(new Request(request.url, whole));
      return answer();
    };
    const outcome = await kind.carrier().submit({ ...MESSAGE, ...change });
    expect(inits).toHaveLength(1);
    return { outcome, got: got as Got | null };
  }

  const outcomeOf = async (answer: () => Response) => (await submitted({}, answer)).outcome;

  describe("a message", () => {
    it("is submitted once, with its number, text and sender", async () => {
      const { outcome, got } = await submitted({}, kind.taken);
      expect(outcome).toEqual({ kind: "submitted" });
      expect(got).toMatchObject({ to: "+919876543210", text: MESSAGE.text, sender: "DASTAK" });
      expect([MESSAGE.ref, null]).toContain(got?.ref);
    });

    it.each([
      ["Unicode", "नमस्ते 👍 — ஆர்டர் வந்தது"],
      ["a long text", "क्षत्रिय & <b>50% off</b> + “quotes” = {to} {{ ".repeat(40)],
      ["line breaks and quotes", 'one\r\ntwo\n"three"\\four\tfive'],
    ])("has the same text at the other end: %s", async (_, text) => {
      const { got } = await submitted({ text }, kind.taken);
      expect(got?.text).toBe(text);
    });

    it("has no sender where there is none, and is a flash message where it is one", async () => {
      expect((await submitted({ content: {} }, kind.taken)).got?.sender).toBeNull();
      inits = [];
      const flash = (await submitted({ content: { flash: true } }, kind.taken)).got?.flash;
      inits = [];
      const plain = (await submitted({ content: {} }, kind.taken)).got?.flash;
      expect([flash, plain]).toEqual(flash === null ? [null, null] : [true, false]);
    });

    it("has the DLT fields of a matched text, and none otherwise", async () => {
      const dlt = { entityId: "1101234567890", templateId: "1107234567890123456", category: "service_implicit" };
      const given = { dltEntity: "1101234567890", dltTemplate: "1107234567890123456" };
      const none = { dltEntity: null, dltTemplate: null };
      expect((await submitted({ dlt }, kind.taken)).got).toMatchObject(kind.isWithoutDlt === true ? none : given);
      inits = [];
      expect((await submitted({}, kind.taken)).got).toMatchObject(none);
    });
  });

  describe("an answer", () => {
    it("that refuses the message is final", async () => {
      expect(await outcomeOf(kind.refused)).toMatchObject({ kind: "rejected" });
    });

    it("that is busy is no acceptance, with the time of its Retry-After", async () => {
      expect(await outcomeOf(kind.busy)).toMatchObject({ kind: "not_accepted" });
      inits = [];
      const later = await outcomeOf(() => kind.busy({ "retry-after": "7" }));
      expect(later).toMatchObject({ kind: "not_accepted", retryAfterMs: 7_000 });
    });

    it("that speaks of the deployment's own account is no acceptance", async () => {
      const { ownTrouble } = kind;
      if (ownTrouble) expect(await outcomeOf(ownTrouble)).toMatchObject({ kind: "not_accepted" });
    });

    it.each([500, 502, 504, 520])("with %d leaves it unknown", async (status) => {
      expect(await outcomeOf(() => new Response("trouble", { status }))).toMatchObject({ kind: "unknown" });
    });

    it("that redirects is not followed, and leaves it unknown", async () => {
      expect(await outcomeOf(elsewhere)).toMatchObject({ kind: "unknown" });
      expect(inits[0]?.redirect).toBe("manual");
    });

    it("that is longer than is read does not fill the memory", async () => {
      const start = await kind.taken().text();
      let pieces = 0;
      const long = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pieces += 1;
          controller.enqueue(new TextEncoder().encode(pieces === 1 ? start : " ".repeat(16_384)));
        },
      });
      const outcome = await outcomeOf(() => new Response(long, { status: kind.taken().status }));
      expect(outcome.kind).toBe(kind.tooLong);
      expect(pieces).toBeLessThan(16);
    });
  });

  describe("no answer", () => {
    const unconnected = kind.isSureNotConnected ? "not_accepted" : "unknown";

    it("because there is no connection", async () => {
      gateway = () => Promise.reject(lost());
      expect(await kind.carrier().submit(MESSAGE)).toMatchObject({ kind: unconnected });
    });

    it("because Cloudflare could not connect: certainly not accepted", async () => {
      expect(await outcomeOf(() => new Response("error", { status: 521 }))).toMatchObject({ kind: "not_accepted" });
    });

    it("after the whole request left: unknown, whether it hangs or breaks off", async () => {
      gateway = async (_, init) => {
        await read(init);
        return givenUp(init);
      };
      expect(await kind.carrier().submit(MESSAGE)).toEqual({ kind: "unknown", code: "timeout" });
      gateway = async (_, init) => {
        await read(init);
        throw lost();
      };
      expect(await kind.carrier().submit(MESSAGE)).toEqual({ kind: "unknown", code: "connection_broken" });
      expect(inits).toHaveLength(2);
    });
  });

  describe("a receipt", () => {
    it.each(["submitted", "delivered", "undelivered", "failed"] as const)("says %s", async (state) => {
      expect(await reads(kind.receipt("msg_1", state))).toEqual(said("msg_1", state));
    });

    it("says the same when it comes twice, and late", async () => {
      const first = await reads(kind.receipt("msg_1", "delivered"));
      vi.setSystemTime(NOW_MS + 3 * 86_400_000);
      expect(await reads(kind.receipt("msg_1", "delivered"))).toEqual(first);
    });

    it("says what it says in whatever order they come, and of messages that are unknown", async () => {
      for (const [ref, state] of [
        ["msg_2", "delivered"],
        ["msg_2", "submitted"],
        ["no-such-message", "failed"],
      ] as const) {
        expect(await reads(kind.receipt(ref, state))).toEqual(said(ref, state));
      }
    });

    it("is forged without a proof and with a wrong one", async () => {
      expect(await reads(kind.receipt("msg_1", "delivered", "unproved"))).toBe("forged");
      expect(await reads(kind.receipt("msg_1", "delivered", "wrong"))).toBe("forged");
    });

    it("is invalid with a state that the kind does not know", async () => {
      expect(await reads(kind.unknownWord("msg_1"))).toBe("invalid");
    });
  });
}
