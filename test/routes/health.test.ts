import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import worker from "../../src/worker.ts";
import { callWith, incoming } from "../world/deployment.ts";
import { expectFailure } from "../world/operating.ts";
import { call } from "../world/world.ts";

const HOSTS = ["sms", "tts", "voice", "otp", "console"];

/** Calls `/readyz` of a service with this binding replaced. */
const readyWith = (part: Partial<Env>) => callWith(part, "http://console.localhost/readyz");

const outOfReach = () => {
  throw new Error("out of reach");
};

/** A binding of which every method throws, typed by hand because it is a Proxy. */
const broken = new Proxy({}, { get: () => outOfReach }) as never;

describe("GET /healthz", () => {
  it.each(HOSTS)("on %s", async (host) => {
    const reply = await call(`http://${host}.localhost/healthz`);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"success":true}');
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/u);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  it.each(HOSTS)("on %s writes no log line", async (host) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await call(`http://${host}.localhost/healthz`);
    await call(`http://${host}.localhost/nothing`);
    const paths = log.mock.calls.map(([line]) => (JSON.parse(String(line)) as { path: string }).path);
    log.mockRestore();
    expect(paths).toHaveLength(1);
  });

  it("another method: 405", async () => {
    const reply = await call("http://console.localhost/healthz", { method: "POST" });
    expectFailure(reply, 405, "method_not_allowed");
    expect(reply.headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("GET /readyz", () => {
  it("answers 200 when everything is reachable", async () => {
    const reply = await call("http://console.localhost/readyz");
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"success":true}');
  });

  it.each([
    ["account objects", { ACCOUNT: broken }],
    ["D1", { DB: broken }],
    ["history", { HISTORY_1: broken }],
    ["R2", { RECORDINGS: broken }],
    ["queues", { BULK_LANE: broken }],
  ])("without %s: 503 that names it", async (name, part) => {
    const reply = await readyWith(part);
    expectFailure(reply, 503, "unavailable", { error: `Not ready: ${name} cannot be reached.` });
  });

  it("checks each binding itself while another request's check hangs, and caches the result", async () => {
    let asked = 0;
    const head = () => {
      asked += 1;
      // R2 never answers the first request, as if its client had disconnected and the platform had ended it.
      return asked === 1 ? new Promise<null>(() => undefined) : Promise.resolve(null);
    };
    const slow = { ...env, RECORDINGS: { head } as unknown as R2Bucket };
    const ready = () => worker.fetch(incoming("http://console.localhost/readyz", {}), slow, createExecutionContext());
    void ready();
    await vi.waitUntil(() => asked === 1);
    expect((await ready()).status).toBe(200);
    expect((await ready()).status).toBe(200);
    expect(asked).toBe(2);
  }, 5_000);

  it("sends each queue one message a minute, however often it is asked, and asks a lost queue again", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 7, 1, 12) });
    onTestFinished(() => void vi.useRealTimers());
    const sent: number[] = [];
    let isLost = false;
    const send = async () => {
      if (isLost) throw new Error("the queue is lost");
      sent.push(Date.now());
    };
    const counted = { ...env, OTP_LANE: { send } as unknown as Queue };
    const url = "http://console.localhost/readyz";
    const ready = () => worker.fetch(incoming(url, {}), counted, createExecutionContext());
    for (let second = 0; second < 120; second += 1) {
      expect((await ready()).status).toBe(200);
      vi.setSystemTime(Date.now() + 1_000);
    }
    expect(sent).toHaveLength(2);
    isLost = true;
    expect((await ready()).status).toBe(503);
    isLost = false;
    vi.setSystemTime(Date.now() + 2_000);
    expect((await ready()).status).toBe(200);
    // The clock is set back: an answer from the future is asked for again.
    vi.setSystemTime(Date.now() - 3_600_000);
    expect((await ready()).status).toBe(200);
    expect(sent).toHaveLength(4);
  });

  it("names all unreachable bindings", async () => {
    const reply = await readyWith({ DB: broken, RECORDINGS: broken });
    expect(reply.body.error).toBe("Not ready: D1, R2 cannot be reached.");
  });
});
