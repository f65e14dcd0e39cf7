import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { KEPT_MAX } from "../../src/durable/inbox/rows.ts";
import type { InboxMessage } from "../../src/inbox/types.ts";
import type { Inbox } from "../../src/durable/inbox.ts";
import { LOCAL_INBOX } from "../../src/inbox/landing.ts";
import { DEPLOYED } from "./deployment.ts";
import { bearer, call, dispatch, post } from "./world.ts";
import type { Reply, World } from "./world.ts";

// Shared by the tests of the inbox: sending a message as far as the inbox, and calling the inbox's API.

export const API = "http://console.localhost/v1/test/inbox";

/** The inbox for all messages of the suite, except those of a consumer with deployed variables. */
export const localInbox = (): DurableObjectStub<Inbox> => env.INBOX.getByName(LOCAL_INBOX);

/** All messages of an account in the suite's inbox, newest first. */
export async function inboxOf(world: World): Promise<InboxMessage[]> {
  return (await localInbox().list({ account: world.name }, {}, KEPT_MAX)) ?? [];
}

/** A deployed service without a gateway: the simulator takes live messages, too. */
export const DEPLOYED_SIM: Record<string, string> = {
  // All of these are variables; none is a binding.
  ...(DEPLOYED as unknown as Record<string, string>),
  CARRIER: "sim",
  PAYMENTS: "none",
};

let numbers = 9_400_000_000;

/** An Indian number that no other test in this file uses. */
export const newPhone = (): string => String(numbers++);

/** Dispatches all queued messages, so that they arrive in the inbox. */
export async function landAll(world: World, variables: Record<string, string> = {}): Promise<void> {
  await dispatch(world, [], variables);
}

/** Sends an SMS and dispatches it into the inbox. */
export async function land(
  world: World,
  body: { phone?: string; message?: string; senderId?: string } = {},
  variables: Record<string, string> = {},
): Promise<void> {
  const sms = { phone: newPhone(), message: "Hello", ...body };
  const reply = await post("http://sms.localhost/send-sms", sms, bearer(world.apiKey));
  if (reply.status !== 200) throw new Error(reply.text);
  await landAll(world, variables);
}

/** Calls the inbox's API; without a world, it sends no key. */
export function ask(world: World | null, path = "", init: RequestInit = {}): Promise<Reply> {
  return call(API + path, { ...init, ...(world && { headers: bearer(world.apiKey) }) });
}

/** An environment whose inbox fails, before or after storing. */
export function brokenInbox(when: "before" | "after"): { INBOX: Env["INBOX"]; asked: () => number } {
  const put = vi.fn(async (...caught: Parameters<Inbox["put"]>) => {
    if (when === "after") await localInbox().put(...caught);
    throw new Error("the inbox is away");
  });
  return { INBOX: { getByName: () => ({ put }) } as unknown as Env["INBOX"], asked: () => put.mock.calls.length };
}
