import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { historyJob, readLaneJobs } from "../../src/queues/jobs.ts";
import { converse } from "../world/conversation.ts";
import type { Call, Conversation } from "../world/conversation.ts";
import { addTo, faultsBetween } from "../world/shapes.ts";
import type { Shape } from "../world/shapes.ts";
import before from "./before.json";

// While a deployment goes on, or part of it is rolled back, the Worker of one version calls objects of another and reads its
// queue messages. `before.json` is what the version before said, noted by the same conversation; CONTRIBUTING.md, "Two
// versions side by side", says when and how it is recorded anew.

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ id: "gateway-1" }));
});
afterEach(() => vi.restoreAllMocks());

/** Bytes as JSON has them, and back. */
const toJson = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      one instanceof Uint8Array ? { $bytes: Buffer.from(one).toString("base64") } : one,
    ),
  );
const fromJson = (value: unknown): unknown => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(fromJson);
  if ("$bytes" in value) return Uint8Array.from(Buffer.from(String(value.$bytes), "base64"));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromJson(inner)]));
};

const known = fromJson(before) as Conversation;

function shapesOf({ calls, messages }: Conversation): Record<"asked" | "replied" | "queued", Shape> {
  const shapes = { asked: {} as Shape, replied: {} as Shape, queued: {} as Shape };
  for (const { binding, method, args, reply } of calls) {
    args.forEach((arg, at) => addTo(shapes.asked, `${binding}.${method} ${at}`, arg));
    addTo(shapes.replied, `${binding}.${method}`, reply);
  }
  for (const { queue, body } of messages) {
    addTo(shapes.queued, queue, body);
  }
  return shapes;
}

const methods = ({ calls }: Conversation) => new Set(calls.map(({ binding, method }) => `${binding}.${method}`));

it("says in its calls and queue messages what the version before understands, and replies what that one reads", async () => {
  const now = fromJson(toJson(await converse())) as Conversation;
  if (import.meta.env["VITE_RECORD"] === "yes") {
    await expect(`${JSON.stringify(toJson(now))}\n`).toMatchFileSnapshot("before.json");
    return;
  }
  const [old, fresh] = [shapesOf(known), shapesOf(now)];
  expect(faultsBetween(old.asked, fresh.asked)).toEqual([]);
  expect(faultsBetween(old.queued, fresh.queued)).toEqual([]);
  expect(faultsBetween(old.replied, fresh.replied)).toEqual([]);
  // Nothing that was said before is left unsaid now: the comparison would be about less.
  expect([...methods(known)].filter((method) => !methods(now).has(method))).toEqual([]);
});

it("takes the calls of the version before, and answers them as that one reads it", async () => {
  const replayed: Call[] = [];
  for (const { binding, name, method, args } of known.calls) {
    const stub = env[binding].getByName(name) as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
    replayed.push({ binding, name, method, args, reply: await stub[method]?.(...args) });
  }
  const [old, fresh] = [shapesOf(known), shapesOf({ calls: replayed, messages: [] })];
  expect(faultsBetween(old.replied, fresh.replied)).toEqual([]);
  const account = known.calls.find(({ binding }) => binding === "ACCOUNT");
  expect(await env.ACCOUNT.getByName(account?.name ?? "").reconcile()).toEqual([]);
});

it("reads the queue messages of the version before, and of the one after, which has more fields", () => {
  expect(known.messages.length).toBeGreaterThan(5);
  for (const { queue, body } of known.messages) {
    for (const read of [body, { ...(body as object), later: { field: 1 } }]) {
      const parsed = queue === "HISTORY" ? historyJob.safeParse(read).success : readLaneJobs(read) !== null;
      expect(parsed, JSON.stringify(read)).toBe(true);
    }
  }
});
