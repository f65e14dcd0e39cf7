import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readMessageId } from "../../../src/crypto/ids.ts";
import { messagesOf, openWorld } from "../world.ts";
import { ask, expectDone } from "./endpoint.ts";
import type { Asking, Endpoint } from "./endpoint.ts";

const HEADER = "x-message-id";

/** The name of what was sent: `X-Message-Id` (contract §13). */
export function messageIdSuite(endpoint: Endpoint): void {
  describe("X-Message-Id", () => {
    if (endpoint.cost === 0) {
      it("is absent: nothing was sent", async () => {
        const world = await openWorld();
        const once: Asking = { headers: { "idempotency-key": "order-1" } };
        for (const asking of [{}, once, once]) {
          const reply = await ask(endpoint, world, asking);
          expectDone(reply);
          expect(reply.headers.has(HEADER)).toBe(false);
        }
      });
      return;
    }

    it("names the first message of the request, which is stored under the request's id", async () => {
      const world = await openWorld();
      // The second request's message is not the account's first.
      for (const reply of [await ask(endpoint, world), await ask(endpoint, world)]) {
        expectDone(reply);
        const mine = (await messagesOf(world)).filter((one) => one.requestId === reply.headers.get("x-request-id"));
        const [first] = mine;
        const id = reply.headers.get(HEADER) ?? "";
        expect(id).toMatch(first?.operation === "tts" || first?.operation === "voice" ? /^call_\w+$/u : /^msg_\w+$/u);
        expect(readMessageId(env.KEY_SECRET, id)).toMatchObject({ ...world.ref, seq: first?.seq, index: 0 });
        if (typeof reply.body.callId === "string") expect(id).toBe(reply.body.callId);
      }
    });

    it("is the same on a replay, whatever was sent in between, and another for another request", async () => {
      const world = await openWorld();
      const once: Asking = { headers: { "idempotency-key": "order-1" } };
      const first = await ask(endpoint, world, once);
      const other = await ask(endpoint, world);
      const again = await ask(endpoint, world, once);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get(HEADER)).toBe(first.headers.get(HEADER));
      expect(other.headers.get(HEADER)).not.toBe(first.headers.get(HEADER));
    });

    it("is absent from a refusal", async () => {
      const world = await openWorld({ balance: 0 });
      expect((await ask(endpoint, world)).headers.has(HEADER)).toBe(false);
      expect((await ask(endpoint, world, { keys: {} })).headers.has(HEADER)).toBe(false);
    });
  });
}
