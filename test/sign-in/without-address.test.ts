import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/worker.ts";
import { forgetCounts } from "../world/codes.ts";
import { DEPLOYED, incoming } from "../world/deployment.ts";
import { freshNumber } from "../world/people.ts";

// A deployed service whose zone removes the header with the visitor's address, and a local one that gets no header.

const CONSOLE = String(DEPLOYED.CONSOLE_URL);

async function submit(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const request = incoming(CONSOLE + path, {
    method: "POST",
    body: new URLSearchParams(form),
    redirect: "manual",
    headers: { origin: CONSOLE, accept: "text/html", ...headers },
  });
  return (await worker.fetch(request, { ...env, ...DEPLOYED }, createExecutionContext())).status;
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await forgetCounts();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("without the address of its visitors, a deployed service", () => {
  it("does not count all of them as one, logs it once an hour, and keeps the limits of phones and of the service", async () => {
    // Later than any other test of this runtime, which shares the memory of what was logged.
    vi.setSystemTime(Date.now() + 30 * 24 * 3_600_000);
    const log = vi.spyOn(console, "log");
    const statuses = [];
    for (let n = 0; n < 40; n++) {
      vi.setSystemTime(Date.now() + 30_000);
      statuses.push(await submit("/sign-in", { phone: freshNumber() }));
    }
    expect(new Set(statuses)).toEqual(new Set([303]));
    const lines = log.mock.calls.filter(([line]) => String(line).includes("without CF-Connecting-IP"));
    expect(lines).toHaveLength(1);
    const phone = freshNumber();
    const more = [];
    for (let n = 0; n < 25; n++) {
      vi.setSystemTime(Date.now() + 5_000);
      more.push(await submit("/sign-in", { phone }));
    }
    expect(more.filter((status) => status === 303)).toHaveLength(20);
    vi.setSystemTime(Date.now() + 60_000);
    const burst = await Promise.all(Array.from({ length: 40 }, () => submit("/sign-in", { phone: freshNumber() })));
    expect(burst.filter((status) => status === 303)).toHaveLength(30);
  });

  it("still limits passwords by e-mail, and does not lock the operator out", async () => {
    const wrong = [];
    for (let n = 0; n < 25; n++) wrong.push(await submit("/desk/sign-in", { token: "x" }));
    expect(new Set(wrong)).toEqual(new Set([401]));
    expect(await submit("/desk/sign-in", { token: String(DEPLOYED.OPERATOR_TOKEN) })).toBe(303);
    const email = `${crypto.randomUUID()}@example.com`;
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push(await submit("/sign-in/password", { email, password: "not this one" }));
    expect(new Set(statuses)).toEqual(new Set([401]));
  });
});
