import { createHash } from "node:crypto";
import path from "node:path";
import { expect, it } from "vitest";
import { until } from "../../harness/http.ts";
import { ROOT, Program } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";

// npm run rotate, against a local service: each step is said when it is due, and checked after it was taken.

const TOKEN = "local-only-operator-token-for-this-machine";
const OLD = createHash("sha256").update("the present secret").digest("hex");
const OTHER = createHash("sha256").update("a secret that was mistyped").digest("hex");

/** Nothing that was made before a switch is under way for long. */
const SHORT = {
  VALIDITY_SMS_MS: "1",
  VALIDITY_OTP_MS: "1",
  VALIDITY_CALL_MS: "1",
  UNKNOWN_WINDOW_MS: "1",
  RECEIPT_WINDOW_MS: "1",
  AUDIO_URL_TTL_MS: "1",
};

async function rotate(service: Service, ...more: string[]): Promise<{ code: number | null; said: string }> {
  const script = path.join(ROOT, "scripts", "rotate.mjs");
  const url = `http://127.0.0.1:${service.port}`;
  const program = new Program([script, ...more, "--url", url], { env: { OPERATOR_TOKEN: TOKEN } });
  const { code } = await program.ended;
  // It asks the service, and knows no secret of it.
  for (const secret of [OLD, OTHER, TOKEN]) expect(program.output).not.toContain(secret);
  return { code, said: program.output };
}

it("says and checks each step of replacing KEY_SECRET", async () => {
  const start = (secret: string, before?: Service) =>
    startService({
      ...(before && { state: before.state, port: before.port }),
      set: { ...SHORT, KEY_SECRET: secret },
    });
  const restart = async (before: Service, secret: string) => {
    await before.kill9();
    return start(secret, before);
  };
  let service = await start(OLD);
  try {
    const customer = await service.openAccount(5);
    // The list of accounts lags a moment behind: the customer's, and the demo account.
    const accounts = await until("both accounts are listed", async () => {
      const { body } = await service.operator("GET", "/secrets/keys");
      const ids = (body.data as { account_id: string }[]).map(({ account_id: id }) => id);
      return ids.length === 2 && ids;
    });
    const first = await rotate(service, "KEY_SECRET");
    expect(first).toMatchObject({ code: 0, said: expect.stringContaining("Step 1 of 3") });
    const [, fresh = ""] = /shown this once: ([0-9a-f]{64})\n/u.exec(first.said) ?? [];
    expect(first.said).toContain(`KEY_SECRET=1:<the present secret>,2:${fresh}\n`);

    service = await restart(service, `1:${OTHER},2:${fresh}`);
    const mistyped = await rotate(service, "KEY_SECRET");
    expect(mistyped).toMatchObject({ code: 1, said: expect.stringContaining("id 1 is another one than before") });

    service = await restart(service, `1:${OLD},2:${fresh}`);
    const young = await rotate(service, "KEY_SECRET");
    expect(young).toMatchObject({ code: 3, said: expect.stringContaining("Wait until") });
    const listed = await rotate(service, "KEY_SECRET", "--settle", "0");
    expect(listed).toMatchObject({ code: 0, said: expect.stringContaining("Step 2 of 3") });
    expect(listed.said).toContain("KEY_SECRET=2:<the secret with the id 2>,1:<the secret with the id 1>\n");

    service = await restart(service, `2:${fresh},1:${OLD}`);
    const held = await rotate(service, "KEY_SECRET");
    expect(held).toMatchObject({ code: 3, said: expect.stringContaining("4 usable keys of 2 accounts") });
    expect(accounts).toContain(customer.id);
    for (const id of accounts) {
      expect(held.said).toContain(id);
      expect((await service.operator("POST", `/accounts/${id}/keys/expire`, {})).status).toBe(200);
    }
    const free = await rotate(service, "KEY_SECRET");
    expect(free).toMatchObject({ code: 0, said: expect.stringContaining("Step 3 of 3") });
    expect(free.said).toContain("KEY_SECRET=2:<the secret with the id 2>\n");

    service = await restart(service, `2:${fresh}`);
    const done = await rotate(service, "KEY_SECRET");
    expect(done).toMatchObject({
      code: 0,
      said: expect.stringContaining("✓ Only the secret with the id 2 is listed."),
    });
  } finally {
    await service.kill9();
  }
});

it("refuses another name, and a service that it cannot ask", async () => {
  const run = async (...given: string[]) => {
    const program = new Program([path.join(ROOT, "scripts", "rotate.mjs"), ...given], {
      env: { OPERATOR_TOKEN: TOKEN },
    });
    return { code: (await program.ended).code, said: program.output };
  };
  expect(await run("OPERATOR_TOKEN", "--url", "http://127.0.0.1:9")).toMatchObject({ code: 2 });
  expect(await run("KEY_SECRET")).toMatchObject({ code: 2, said: expect.stringContaining("Usage") });
  expect(await run("KEY_SECRET", "--url", "http://127.0.0.1:9")).toMatchObject({
    code: 1,
    said: expect.stringContaining("cannot be reached"),
  });
});
