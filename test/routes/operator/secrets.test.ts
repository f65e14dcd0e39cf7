import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { noteSecrets } from "../../../src/accounts/secrets.ts";
import { showKey, showKeyId } from "../../../src/crypto/api-key.ts";
import { callWith } from "../../world/deployment.ts";
import { expectFailure, openAccount, operatorSuite, unknownAccountSuite } from "../../world/operating.ts";
import { PLAIN, listing } from "../../world/rotation.ts";
import type { Secrets } from "../../world/rotation.ts";
import { bearer, call, openWorld, operator, recordHistory } from "../../world/world.ts";
import type { Reply } from "../../world/world.ts";

const START_MS = Date.parse("2026-08-01T12:00:00Z");

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function operatorAt(at: Secrets, method: string, path: string, body?: object): Promise<Reply> {
  return callWith(at, `http://console.localhost/operator${path}`, {
    method,
    headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const balanceAt = (at: Secrets, apiKey: string) =>
  callWith(at, "http://sms.localhost/account-balance", { headers: bearer(apiKey) }).then(({ status }) => status);

const expirePath = (accountId: string) => `/operator/accounts/${accountId}/keys/expire`;

describe("GET /operator/secrets", () => {
  operatorSuite("GET", "/operator/secrets");

  it("says which secrets are listed and which makes, since when, and until when the others are needed", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
    const secretsAt = async (at: Secrets) => (await operatorAt(at, "GET", "/secrets")).body.secrets as object[];
    const seen = (id: number, listed: string, makes: string | null, changed = false) => ({
      id,
      listed_since: listed,
      makes_since: makes,
      changed,
    });
    const [first, second, third] = ["12:00:00", "12:10:00", "12:20:00"].map((time) => `2026-08-01T${time}.000Z`);
    const one = seen(1, first ?? "", first ?? "");
    expect(await secretsAt(PLAIN)).toMatchObject([
      { name: "KEY_SECRET", making: 1, needed_until: null, listed: [one] },
      { name: "SEAL_SECRET", making: 1, needed_until: null, listed: [one] },
    ]);
    vi.setSystemTime(START_MS + 600_000);
    expect(await secretsAt(listing(1, 2))).toMatchObject([
      { making: 1, listed: [one, seen(2, second ?? "", null)] },
      { making: 1 },
    ]);
    vi.setSystemTime(START_MS + 1_200_000);
    expect(await secretsAt(listing(2, 1))).toMatchObject([
      // The longest validity, a day, and three days in which receipts come.
      { making: 2, needed_until: "2026-08-05T12:20:00.000Z", listed: [seen(2, second ?? "", third ?? ""), one] },
      { making: 2, needed_until: "2026-08-08T12:20:00.000Z" },
    ]);
    // Another secret under an id that is used.
    const other = { ...listing(2, 1), KEY_SECRET: "2:another-secret-under-an-id-that-is-used" };
    expect(await secretsAt(other)).toMatchObject([{ listed: [{ id: 2, changed: true }] }, {}]);
    const alerts = vi.spyOn(console, "log").mockReturnValue();
    await noteSecrets({ ...env, ...other }, START_MS);
    expect(alerts.mock.calls.map(([line]) => JSON.parse(String(line)) as object)).toEqual([
      { event: "alert", what: "secret changed under its id", name: "KEY_SECRET", id: 2 },
    ]);
  });

  it("shows nothing of a secret", async () => {
    const { text } = await operatorAt(listing(2, 1), "GET", "/secrets");
    for (const setting of [...Object.values(PLAIN), ...Object.values(listing(2))]) {
      expect(text).not.toContain(setting.replace(/^2:/u, ""));
    }
  });
});

describe("GET /operator/secrets/keys", () => {
  operatorSuite("GET", "/operator/secrets/keys");

  it("counts the usable keys of each account by the secret that made them, page by page", async () => {
    const worlds = [await openWorld(), await openWorld()];
    for (const world of worlds) await recordHistory(world, []);
    const [one] = worlds;
    const id = one?.ref.accountId ?? "";
    expect((await operatorAt(listing(2, 1), "POST", `/accounts/${id}/keys`, {})).status).toBe(200);
    await balanceAt(PLAIN, one?.apiKey ?? "");
    const found: { account_id: string; secrets: object[] }[] = [];
    for (let after = ""; ;) {
      const { body } = await operatorAt(listing(2, 1), "GET", `/secrets/keys?limit=1&after=${after}`);
      found.push(...(body.data as typeof found));
      if (body.has_more === false) break;
      after = body.next as string;
    }
    expect(new Set(found.map((account) => account.account_id)).size).toBe(found.length);
    expect(found.find((account) => account.account_id === id)?.secrets).toEqual([
      { secret_id: 1, keys: 1, last_used_at: expect.stringMatching(/^20/u) },
      { secret_id: 2, keys: 1, last_used_at: null },
    ]);
  });
});

describe("POST /operator/accounts/:id/keys/expire", () => {
  operatorSuite("POST", expirePath);
  unknownAccountSuite("POST", expirePath, {});

  it("ends the keys that the present secret did not make, in both modes, and no others", async () => {
    const at = listing(2, 1);
    const { accountId, apiKey, testKey } = await openAccount();
    const fresh = (await operatorAt(at, "POST", `/accounts/${accountId}/keys`, {})).body.api_key as string;
    const ended = await operatorAt(at, "POST", `/accounts/${accountId}/keys/expire`, {});
    expect(ended.body.expired).toMatchObject([
      { mode: "live", secret_id: 1, revoked_at: expect.stringMatching(/^20/u) },
      { mode: "test", secret_id: 1 },
    ]);
    expect([await balanceAt(at, apiKey), await balanceAt(at, testKey), await balanceAt(at, fresh)]).toEqual([
      401, 401, 200,
    ]);
    expect((await operatorAt(at, "POST", `/accounts/${accountId}/keys/expire`, {})).body.expired).toEqual([]);
    const [act] = (await operator("GET", `/operator/audit?account=${accountId}&limit=50`)).body.data.filter(
      ({ action }: { action: string }) => action === "keys.expired",
    );
    expect(act).toBeDefined();
  });

  it("ends those of named secrets, or those made before a time", async () => {
    const at = listing(2, 1);
    const { accountId } = await openAccount();
    const { api_key: second, key_id: secondId } = (await operatorAt(at, "POST", `/accounts/${accountId}/keys`, {}))
      .body;
    const named = await operatorAt(at, "POST", `/accounts/${accountId}/keys/expire`, { secret_ids: [2] });
    expect((named.body.expired as { key_id: string }[]).map((key) => key.key_id)).toEqual([secondId]);
    expect(await balanceAt(at, second as string)).toBe(401);
    const early = await operator("POST", expirePath(accountId), { made_before: "2020-01-01T00:00:00Z" });
    expect(early.body.expired).toEqual([]);
    const late = await operator("POST", expirePath(accountId), { made_before: "2100-01-01T00:00:00Z" });
    expect(late.body.expired).toHaveLength(2);
  });

  it.each([
    { made_before: "yesterday" },
    { secret_ids: [] },
    { secret_ids: [0] },
    { secret_ids: [1.5] },
    { made_before: "2026-01-01T00:00:00Z", secret_ids: [1] },
  ])("refuses %j", async (body) => {
    const { accountId } = await openAccount();
    expectFailure(await operator("POST", expirePath(accountId), body), 400, "invalid_request");
  });

  it("leaves the dashboard able to send, and nothing that an older secret makes of its key", async () => {
    const at = listing(2, 1);
    const world = await openWorld();
    await world.stub.makeKey(0, "Dashboard");
    const ofOld = showKey(at.KEY_SECRET, { ...world.ref, keyId: 0, secretId: 1 });
    expect(await balanceAt(at, ofOld)).toBe(200);
    await operatorAt(at, "POST", `/accounts/${world.ref.accountId}/keys/expire`, {});
    expect(await balanceAt(at, ofOld)).toBe(401);
    expect(await balanceAt(at, showKey(at.KEY_SECRET, { ...world.ref, keyId: 0, secretId: 2 }))).toBe(200);
    const keys = (await call(`http://console.localhost/operator/accounts/${world.ref.accountId}/keys`, {
      headers: bearer(env.OPERATOR_TOKEN),
    })) as Reply;
    expect(keys.body.data).toMatchObject([
      { key_id: showKeyId(world.keyId), revoked_at: expect.stringMatching(/^20/u), secret_id: 1 },
      { key_id: showKeyId(0), revoked_at: null, secret_id: 2 },
    ]);
  });
});
