import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { textOf } from "../../sdk/src/text.ts";
import { Transport } from "../../sdk/src/transport.ts";
import { refusal, reply, scripted } from "./scripted.ts";

// Events, a message that is waited for, and an export, against a script of answers.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const event = (seq: number) => ({ seq, id: `evt_${seq}`, type: "credit.added", at: "2026-11-22T10:00:00Z", data: {} });
const page = (next: number, ...seqs: number[]) => reply({ data: seqs.map(event), next });

/** Lets all timers run until this is settled. */
async function settled<T>(promise: Promise<T>): Promise<T> {
  const progress = { isSettled: false };
  const note = () => (progress.isSettled = true);
  promise.then(note, note);
  while (!progress.isSettled) await vi.advanceTimersByTimeAsync(1_000);
  return promise;
}

/** The numbers of the first `count` events. */
async function take(events: AsyncIterable<{ seq: number }>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

describe("events", () => {
  it("are asked for after the last one, and waited for", async () => {
    const { client, asked } = scripted([page(9, 8, 9), page(9), page(10, 10)]);
    expect(await settled(take(client.events({ after: 7, limit: 2 }), 3))).toEqual([8, 9, 10]);
    expect(asked.map(({ url }) => url.search)).toEqual([
      "?after=7&limit=2&wait=25",
      "?after=9&limit=2&wait=25",
      "?after=9&limit=2&wait=25",
    ]);
    expect(asked[0]?.url.pathname).toBe("/v1/events");
  });

  it("begin at now where no place is given, and at the beginning with 0", async () => {
    const { client, asked } = scripted([page(41), page(42, 42), page(1, 1)]);
    expect(await settled(take(client.events(), 1))).toEqual([42]);
    expect(await settled(take(client.events({ after: 0 }), 1))).toEqual([1]);
    expect(asked.map(({ url }) => url.search)).toEqual(["?wait=0", "?after=41&wait=25", "?after=0&wait=25"]);
  });

  it("outlast any failure that passes, for any time, once the first request was answered", async () => {
    const outage = Array.from({ length: 30 }, (_, at) =>
      at % 2 === 0 ? new TypeError("broken") : refusal(503, "unavailable"),
    );
    const late = refusal(429, "rate_limited", {}, { "retry-after": "120" });
    const { client, asked } = scripted([page(1, 1), ...outage, late, page(2, 2)]);
    expect(await settled(take(client.events({ after: 0 }), 2))).toEqual([1, 2]);
    expect(asked).toHaveLength(33);
    const never = scripted([], { retries: 1 });
    await expect(settled(take(never.client.events({ after: 0 }), 1))).rejects.toMatchObject({ code: "connection" });
    expect(never.asked).toHaveLength(2);
  });

  it("end with a refusal, which says where the kept ones begin", async () => {
    const { client } = scripted([refusal(410, "events_expired", { first: 88 })]);
    const following = settled(take(client.events({ after: 3 }), 1));
    await expect(following).rejects.toMatchObject({ code: "events_expired", status: 410, body: { first: 88 } });
  });

  it("end quietly with their signal: between two events, and in the middle of an outage", async () => {
    for (const answers of [[page(2, 1, 2)], [page(1, 1), new TypeError("broken")]]) {
      const controller = new AbortController();
      const { client } = scripted(answers, { onRetry: () => controller.abort() });
      const seqs: number[] = [];
      const following = async () => {
        for await (const { seq } of client.events({ after: 0, signal: controller.signal })) {
          seqs.push(seq);
          if (answers.length === 0) controller.abort();
        }
      };
      await settled(following());
      expect(seqs).toEqual([1]);
    }
  });

  it("end where now is, if that is asked for", async () => {
    const { client, asked } = scripted([page(2, 1, 2), page(2)]);
    expect(await settled(take(client.events({ after: 0, untilNow: true }), 9))).toEqual([1, 2]);
    expect(asked.map(({ url }) => url.searchParams.get("wait"))).toEqual(["0", "0"]);
  });
});

const message = (state: string) => reply({ message: { id: "msg_1", state } });

describe("a message that is waited for", () => {
  it("is returned when its state is settled", async () => {
    const { client, asked } = scripted(["queued", "sending", "submitted", "delivered"].map(message));
    expect(await settled(client.waitFor("msg_1"))).toEqual({ id: "msg_1", state: "delivered" });
    expect(asked.map(({ url }) => url.pathname)).toEqual(Array.from({ length: 4 }, () => "/v1/messages/msg_1"));
  });

  it("is returned as it is when the time is up", async () => {
    const { client, asked } = scripted(Array.from({ length: 50 }, () => message("submitted")));
    expect(await settled(client.waitFor("msg_1", { timeoutMs: 20_000 }))).toMatchObject({ state: "submitted" });
    // The gaps grow to five seconds.
    expect(asked.length).toBeLessThan(15);
  });

  it("fails as any call does, and when it is aborted", async () => {
    const { client } = scripted([refusal(404, "not_found")]);
    await expect(settled(client.waitFor("msg_1"))).rejects.toMatchObject({ code: "not_found" });
    const controller = new AbortController();
    const waiting = scripted([
      () => {
        setTimeout(() => controller.abort(), 10);
        return message("queued");
      },
    ]).client.waitFor("msg_1", { signal: controller.signal });
    await expect(settled(waiting)).rejects.toMatchObject({ message: "The call was aborted.", isUnknown: false });
  });
});

/** A reply of these chunks, which then ends, or breaks. */
const stream = (chunks: Uint8Array[], end: Error | null) =>
  new Response(
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else if (end) controller.error(end);
        else controller.close();
      },
    }),
  );

describe("an export", () => {
  const ROUTE = { method: "GET", base: "console", path: "/v1/messages.csv" } as const;

  /** The pieces of an export from a service that gives these answers. */
  async function piecesFrom(answers: (Response | Error)[]): Promise<string[]> {
    const fetch = () => {
      const next = answers.shift() ?? expect.fail("too many attempts");
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    };
    const transport = new Transport({ apiKey: "k", baseUrl: "https://a.test", fetch });
    const pieces: string[] = [];
    for await (const piece of textOf(transport, ROUTE, {})) pieces.push(piece);
    return pieces;
  }

  const bytes = new TextEncoder().encode("to,state\n+91…,🙏\n");

  it("comes in pieces, none of which cuts a character", async () => {
    const cut = [bytes.slice(0, 13), bytes.slice(13, 17), bytes.slice(17)];
    const pieces = await settled(piecesFrom([new TypeError("broken"), refusal(503, "unavailable"), stream(cut, null)]));
    expect(pieces.join("")).toBe("to,state\n+91…,🙏\n");
    expect(pieces.length).toBeGreaterThan(2);
  });

  it("that breaks off fails, and does not look whole", async () => {
    const broken = piecesFrom([stream([bytes], new Error("reset"))]);
    await expect(settled(broken)).rejects.toMatchObject({ code: "connection", isUnknown: false });
    await expect(settled(piecesFrom([refusal(401, "unauthorized")]))).rejects.toMatchObject({ code: "unauthorized" });
  });
});
