import http from "node:http";
import { afterEach, expect, it } from "vitest";
import { part } from "../../bench/failures.mjs";
import { call } from "../../harness/http.ts";
import { PacedGateway } from "../../harness/paced-gateway.ts";
import type { Behaviour } from "../../harness/paced-gateway.ts";
import { freePorts } from "../../harness/program.ts";
import { fixedWindow, slidingWindow, tokenBucket } from "../../harness/rate-limits.ts";
import type { RateLimit } from "../../harness/rate-limits.ts";
import { randomOf } from "../../torture/random.ts";

// The gateway of the benchmarks: what it measures is only worth something if it is right itself.

const SEED = process.env["TEST_SEED"] ?? "1";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** How many of the submissions at these times a limit takes. */
const taken = (limit: RateLimit, timesMs: number[]) => timesMs.filter((nowMs) => limit.take(nowMs) === 0).length;

const every = (ms: number, count: number, fromMs = 0) => Array.from({ length: count }, (_, at) => fromMs + at * ms);

it("takes so many in each second of the clock, or in any second, or on average", () => {
  const acrossTheSecond = every(1, 100, 950);
  expect(taken(fixedWindow(20), acrossTheSecond)).toBe(40);
  expect(taken(slidingWindow(20), acrossTheSecond)).toBe(20);
  expect(taken(slidingWindow(20), every(10, 1_000))).toBe(200);
  // A full bucket of 5, and 20 a second afterwards.
  expect(taken(tokenBucket(20, 5), every(10, 1_000))).toBeCloseTo(5 + 200, -1);
  expect(taken(tokenBucket(20, 5), every(1, 10))).toBe(5);
});

it("says how long it takes no more", () => {
  const limits = [fixedWindow(1), slidingWindow(1), tokenBucket(1, 1)];
  for (const limit of limits) limit.take(5_400);
  expect(limits.map((limit) => Math.round(limit.take(5_500)))).toEqual([500, 900, 900]);
});

async function startGateway(behaviour: Omit<Behaviour, "random">) {
  const [port, servicePort] = await freePorts(2);
  const gateway = new PacedGateway(port ?? 0, { random: randomOf(SEED, "gateway"), ...behaviour });
  await gateway.listen();
  ends.push(() => gateway.close());
  const submit = (ref: string) =>
    call(`http://127.0.0.1:${port}/${servicePort}`, {
      method: "POST",
      body: { ref, operation: "sms", to: "+919876543210", callback_url: "https://console.localhost/callbacks/http" },
    });
  return { gateway, submit, servicePort: servicePort ?? 0 };
}

it("refuses above its rate, says when it takes more, and records what it saw", async () => {
  const { gateway, submit } = await startGateway({
    limit: tokenBucket(0.001, 2),
    saysRetryAfter: true,
    originOf: ({ ref }) => ({ lane: "bulk", account: ref.slice(0, 1) }),
  });
  const replies = [await submit("a1"), await submit("b1"), await submit("b2"), await submit("b2")];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  expect(Number(replies[2]?.headers["retry-after"])).toBeGreaterThan(900);
  const seconds = [...gateway.record.seconds.values()];
  const sum = (account: string, what: "accepted" | "refused") =>
    seconds.reduce((total, { byAccount }) => total + (byAccount.get(account)?.[what] ?? 0), 0);
  expect([sum("a", "accepted"), sum("b", "accepted"), sum("b", "refused")]).toEqual([1, 1, 2]);
  expect(gateway.record.refs.get("b2")).toMatchObject({ accepted: 0, refused: 2, acceptedMs: null });
  // The second one came while it had asked for silence.
  expect(gateway.record.silences).toHaveLength(1);
  expect(gateway.record.inSilence).toBe(1);
});

it("is busy or away when it is told to", async () => {
  const { gateway, submit } = await startGateway({ isBusyFor: ({ ref }) => ref === "once" });
  expect((await submit("once")).status).toBe(503);
  expect((await submit("a")).status).toBe(200);
  gateway.closeFor(60_000);
  const away = await submit("b");
  expect([away.status, away.headers["retry-after"]]).toEqual([503, "60"]);
});

it("sends each receipt until it is answered with 200, over so many connections, by their times", async () => {
  const delays: Record<string, number> = { a: 300, b: 200, c: 100 };
  const { gateway, submit, servicePort } = await startGateway({
    receiptConnections: 1,
    receiptAfterMs: ({ ref }) => delays[ref] ?? 0,
  });
  const heard: string[] = [];
  let [open, openMax] = [0, 0];
  const service = http.createServer((request, response) => {
    openMax = Math.max(openMax, ++open);
    request.on("data", (bytes: Buffer) => heard.push((JSON.parse(bytes.toString()) as { ref: string }).ref));
    request.once("end", () => {
      open -= 1;
      // The very first one is not taken.
      response.writeHead(heard.length === 1 ? 500 : 200).end();
    });
  });
  service.listen(servicePort, "127.0.0.1");
  ends.push(() => service.close());
  for (const ref of Object.keys(delays)) await submit(ref);
  await expect.poll(() => gateway.receipts.sent, { timeout: 20_000 }).toBe(3);
  expect(heard).toEqual(["c", "b", "a", "c"]);
  expect(openMax).toBe(1);
  expect([...gateway.receipts.refused]).toEqual([["500", 1]]);
});

it("keeps what other parts measured when one fails", async () => {
  const failures: { part: string; problem: unknown }[] = [];
  const problem = new Error("not at rest");
  const results = [
    await part("one", failures, () => 1),
    await part("two", failures, () => Promise.reject(problem)),
    await part("three", failures, () => 3),
  ];
  expect(results).toEqual([1, null, 3]);
  expect(failures).toEqual([{ part: "two", problem }]);
});
