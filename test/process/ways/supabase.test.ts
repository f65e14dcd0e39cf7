import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../../harness/http.ts";
import { startService } from "../../../harness/started.ts";
import type { Service } from "../../../harness/started.ts";
import { attemptOf, payloadOf, shownBySupabase } from "../../world/supabase.ts";
import type { MadeHook, Shown } from "../../world/supabase.ts";

// Supabase Auth posts to a service that is killed between and during its attempts: one SMS for each code, one debit.

const CODES = 8;
const SETTINGS = { SWEEP_MS: "500" };

let service: Service;
let hook: MadeHook;

beforeAll(async () => {
  service = await startService({ set: SETTINGS });
});
afterAll(() => service?.kill9());

const ofKey = () => ({ authorization: `Bearer ${service.demo.testKey}` });

const balance = async (): Promise<number> =>
  Number((await service.call("/account-balance", { headers: ofKey() })).body["balance"]);

/** One attempt of Supabase, or null where no reply came. */
async function attempt(body: string): Promise<Shown | null> {
  try {
    // Locally every base is also at the loopback address.
    const { pathname } = new URL(hook.url);
    const reply = await fetch(`http://127.0.0.1:${service.port}${pathname}`, attemptOf(hook, body));
    const { status, headers } = reply;
    const text = await reply.text();
    return shownBySupabase({
      status,
      text,
      type: headers.get("content-type"),
      retryAfter: headers.get("retry-after"),
    });
  } catch {
    return null;
  }
}

async function restart(): Promise<void> {
  await service.kill9();
  service = await startService({ set: SETTINGS, state: service.state, port: service.port });
}

it("sends each code once, whenever the service is killed", async () => {
  const made = await service.call("/v1/hooks", { method: "POST", headers: ofKey(), body: { kind: "supabase" } });
  const { hook: shown, secret } = made.body as unknown as { hook: { url: string }; secret: string };
  hook = { url: shown.url, secret };
  const before = await balance();
  for (let nth = 0; nth < CODES; nth += 1) {
    const body = payloadOf({ sms: { phone: `9198765000${10 + nth}`, otp: String(100_000 + nth) } });
    if (nth % 4 === 1) {
      // It is killed while the attempt is under way, and may or may not have taken it.
      const under = attempt(body);
      await restart();
      await under;
    } else {
      expect(await attempt(body)).toBe("sent");
      if (nth % 4 === 2) await restart();
    }
    // Two more attempts at once.
    expect(await Promise.all([attempt(body), attempt(body)])).toEqual(["sent", "sent"]);
  }
  const { body: one } = await service.call("/v1/messages?limit=500", { headers: ofKey() });
  const sent = one["data"] as { to: string; operation: string; cost: number }[];
  expect(sent.map(({ operation }) => operation)).toEqual(Array.from({ length: CODES }, () => "otp"));
  expect(new Set(sent.map(({ to }) => to)).size).toBe(CODES);
  const cost = sent.reduce((sum, { cost: each }) => sum + each, 0);
  expect(await balance()).toBeCloseTo(before - cost, 6);
  // The simulator's phones have them, one each.
  const inbox = async () => {
    const { body } = await service.call("/v1/test/inbox?limit=100", { headers: ofKey() });
    return (body["data"] as { code: string }[]).map(({ code }) => code);
  };
  await until("every code has arrived", async () => new Set(await inbox()).size === CODES, { withinMs: 60_000 });
  expect((await inbox()).toSorted((a, b) => a.localeCompare(b))).toEqual(
    Array.from({ length: CODES }, (_, nth) => String(100_000 + nth)),
  );
  expect(service.program.output).not.toMatch(/\b10000\d\b/u);
});
