import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showKey } from "../../src/crypto/api-key.ts";
import { messageId, readMessageId } from "../../src/crypto/ids.ts";
import { watchGateway } from "../world/carriers.ts";
import { callWith } from "../world/deployment.ts";
import { PLAIN, STEPS, listing } from "../world/rotation.ts";
import type { Secrets } from "../world/rotation.ts";
import { bearer, dispatch, messagesOf, openWorld, operator, recordHistory, runAlarm } from "../world/world.ts";
import type { Reply, World } from "../world/world.ts";

// Both secrets are replaced while requests are repeated and messages are under way.

function send(at: Secrets, world: World, path: string, body: object, headers: Record<string, string>): Promise<Reply> {
  return callWith(at, `http://sms.localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(world.apiKey), ...headers },
    body: JSON.stringify(body),
  });
}

const SMS = { phone: "9876543210", message: "Hello" };
/** The suite's KEY_SECRET, and the SEAL_SECRET of a step. */
const sealedBy = ({ SEAL_SECRET }: Secrets) => ({ ...PLAIN, SEAL_SECRET });

const sendOnce = (at: Secrets, world: World, key: string, body: object = SMS) =>
  send(at, world, "/send-sms", body, { "idempotency-key": key });

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a request that is repeated across a rotation", () => {
  it("is one debit and the same reply, whichever neighbouring steps it came and comes in", async () => {
    for (const [from, before] of STEPS.entries()) {
      // While instances of two steps serve side by side, either may be the first that gets the request.
      for (const after of STEPS.slice(Math.max(0, from - 1), from + 2)) {
        const world = await openWorld({ balance: 10 });
        const first = await sendOnce(sealedBy(before), world, "order-1");
        expect(first.status, first.text).toBe(200);
        const again = await sendOnce(sealedBy(after), world, "order-1");
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers.get("idempotent-replayed")).toBe("true");
        expect(await messagesOf(world)).toHaveLength(1);
        expect((await world.stub.view())?.balance).toBe(90_000);
        const other = await sendOnce(sealedBy(after), world, "order-1", { ...SMS, message: "Other" });
        expect([other.status, other.body.code]).toEqual([422, "idempotency_mismatch"]);
      }
    }
  });

  it("is known for as long as the secret is listed under which it came, through two rotations", async () => {
    const world = await openWorld({ balance: 10 });
    const made = await callWith(
      listing(2, 1),
      `http://console.localhost/operator/accounts/${world.ref.accountId}/keys`,
      {
        method: "POST",
        headers: { "content-type": "application/json", ...bearer(env.OPERATOR_TOKEN) },
        body: "{}",
      },
    );
    const own = { ...world, apiKey: made.body.api_key as string };
    const first = await sendOnce(listing(2, 1), own, "order-1");
    for (const at of [listing(1, 2), listing(2), listing(2, 3), listing(3, 2)]) {
      const again = await sendOnce(at, own, "order-1");
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("finds the account that an operator opened, with one opening balance and its first keys", async () => {
    const headers = {
      "content-type": "application/json",
      ...bearer(env.OPERATOR_TOKEN),
      "idempotency-key": crypto.randomUUID(),
    };
    const open = (at: Secrets) =>
      callWith(at, "http://console.localhost/operator/accounts", {
        method: "POST",
        headers,
        body: JSON.stringify({ name: "Shop", balance: 7 }),
      });
    const first = await open(PLAIN);
    for (const at of STEPS.slice(1, 3)) {
      const again = await open(at);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    // With the secret of the first keys they are gone; the account is not opened a second time.
    const late = await open(listing(2));
    expect(late.body).toEqual({ ...first.body, api_key: null, test_key: null });
    const ledger = await operator("GET", `/operator/accounts/${first.body.account_id}/ledger`);
    expect(ledger.body.data).toMatchObject([{ type: "credit", reference: "opening", amount: 7 }]);
  });
});

describe("a message that is under way in a rotation", () => {
  const REF = /^msg_/u;

  it("keeps its reference at the carrier, its id in lists and history, and gets its receipts", async () => {
    const gateway = watchGateway();
    gateway.answer = () => new Response(null, { status: 503 });
    const world = await openWorld();
    const settings = { CARRIER: "http", DIRECT_DISPATCH: "off" };
    const sent = await callWith({ ...listing(1, 2), ...settings }, "http://sms.localhost/send-sms", {
      method: "POST",
      headers: { "content-type": "application/json", ...bearer(world.apiKey) },
      body: JSON.stringify(SMS),
    });
    expect(sent.status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (const at of [PLAIN, listing(1, 2), listing(2, 1)]) {
        vi.setSystemTime(Date.now() + 600_000);
        await dispatch(world, [], { ...settings, ...at });
      }
    } finally {
      vi.useRealTimers();
    }
    const [first] = gateway.got;
    expect(gateway.got.map(({ ref }) => ref)).toEqual([first?.ref, first?.ref, first?.ref]);
    expect(first?.ref).toBe(messageId(env.KEY_SECRET, world.ref, "sms", { seq: 2, index: 0 }));
  });

  it("of the new secret has an id that names it, in every view", async () => {
    const world = await openWorld();
    const at = listing(2, 1);
    const sent = await send(at, world, "/send-sms", SMS, { "idempotency-key": "order-1" });
    expect(sent.status).toBe(200);
    const [row] = await messagesOf(world);
    const id = messageId(at.KEY_SECRET, world.ref, "sms", row ?? { seq: 0, index: 0 });
    expect(row).toMatchObject({ secretId: 2 });
    expect(id).toMatch(REF);
    expect(readMessageId(env.KEY_SECRET, id)).toBeNull();
    expect(readMessageId(at.KEY_SECRET, id)).toMatchObject(world.ref);
    const url = `http://console.localhost/operator/accounts/${world.ref.accountId}`;
    const asked = { headers: bearer(env.OPERATOR_TOKEN) };
    expect((await callWith(at, `${url}/messages`, asked)).body.data).toMatchObject([{ message_id: id }]);
    expect((await callWith(at, `${url}/ledger`, asked)).body.data[1]).toMatchObject({ type: "debit", message_id: id });
    await runAlarm(world);
    await recordHistory(world, [2]);
    const groups = await env.HISTORY_1.prepare("SELECT kinds FROM message_group WHERE account_id = ?")
      .bind(world.ref.accountId)
      .all<{ kinds: string }>();
    // The secret of its id is the fifth of what a kind is (src/db/history-schema.ts).
    expect(groups.results.map(({ kinds }) => (JSON.parse(kinds) as unknown[][])[0]?.[4])).toEqual([2]);
  });
});

describe("a key of an account", () => {
  it("works with the secret that made it, and with no other that is listed", async () => {
    const world = await openWorld();
    const at = listing(2, 1);
    expect((await sendOnce(at, world, "a")).status).toBe(200);
    // What a secret that leaked, or any other listed one, makes of the same key id.
    const forged = showKey(at.KEY_SECRET, { ...world.ref, keyId: world.keyId, secretId: 2 });
    expect((await sendOnce(at, { ...world, apiKey: forged }, "b")).status).toBe(401);
    const reader = (apiKey: string) =>
      callWith(at, "http://console.localhost/v1/recordings", { headers: bearer(apiKey) });
    expect((await reader(world.apiKey)).status).toBe(200);
    expect((await reader(forged)).status).toBe(401);
  });

  it("whose secret is not listed is refused, and the log names that secret", async () => {
    const world = await openWorld();
    const lines = vi.spyOn(console, "log").mockReturnValue();
    const from = { "cf-connecting-ip": "192.0.2.77" };
    expect((await send(listing(2), world, "/send-sms", SMS, from)).status).toBe(401);
    const logged = lines.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    expect(logged).toContainEqual(expect.objectContaining({ event: "security", act: "refused", unlisted_secret: 1 }));
    expect(JSON.stringify(logged)).not.toContain(world.apiKey);
  });
});
