import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { expectFailure } from "../operating.ts";
import worker from "../../src/worker.ts";
import { call } from "../world.ts";

const HOSTS = ["sms", "tts", "voice", "otp", "console"];

/** Asks `/readyz` of a service one of whose parts is replaced. */
async function readyWith(part: Partial<Env>) {
  const request = new Request("http://console.localhost/readyz");
  const reply = await worker.fetch(request, { ...env, ...part }, createExecutionContext());
  return { status: reply.status, headers: reply.headers, body: await reply.json<{ error: string }>(), text: "" };
}

/** A binding that answers nothing. */
const broken = <T>(): T =>
  new Proxy(
    {},
    {
      get: () => () => {
        throw new Error("out of reach");
      },
    },
  ) as T;

describe("GET /healthz", () => {
  it.each(HOSTS)("on %s", async (host) => {
    const reply = await call(`http://${host}.localhost/healthz`);
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"success":true}');
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/u);
    expect(reply.headers.get("cache-control")).toBe("no-store");
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
    ["account objects", { ACCOUNT: broken<Env["ACCOUNT"]>() }],
    ["D1", { DB: broken<Env["DB"]>() }],
    ["R2", { RECORDINGS: broken<Env["RECORDINGS"]>() }],
    ["queues", { DISPATCH: broken<Env["DISPATCH"]>() }],
  ])("without %s: 503 that names it", async (name, part) => {
    const reply = await readyWith(part);
    expectFailure(reply, 503, "unavailable", { error: `Not ready: ${name} cannot be reached.` });
  });

  it("names all that are missing", async () => {
    const reply = await readyWith({ DB: broken<Env["DB"]>(), RECORDINGS: broken<Env["RECORDINGS"]>() });
    expect(reply.body.error).toBe("Not ready: D1, R2 cannot be reached.");
  });
});
