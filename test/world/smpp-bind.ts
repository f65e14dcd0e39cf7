import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { messageId, newAccountId } from "../../src/crypto/ids.ts";
import { SmppBind } from "../../src/durable/smpp.ts";
import type { News } from "../../src/model/message.ts";
import type { AccountRef } from "../../src/model/ref.ts";
import { SMPP_SETTINGS } from "../../src/smpp/settings.ts";
import type { SmppMessage } from "../../src/smpp/submission.ts";
import { Centre } from "./smpp.ts";

// An object of a carrier's binds before a centre in memory. A restart is another instance over the same storage.

let opened = 0;

const ACCOUNT: AccountRef = { accountId: newAccountId(env.KEY_SECRET, "smpp"), mode: "live" };

/** The reference of a message of the one account. */
export const refOf = (seq: number) => messageId(env.KEY_SECRET, ACCOUNT, "sms", { seq, index: 0 });

export const messageOf = (seq: number, more: Partial<SmppMessage> = {}): SmppMessage => ({
  ref: refOf(seq),
  to: "+919876543210",
  text: "Hello",
  ...more,
});

export const setupOf = (settings: object = {}) => ({
  settings: SMPP_SETTINGS.parse({ host: "smsc.example", system_id: "acme", response_s: 1, ...settings }),
  password: "secret-of-the-bind",
});

export interface At {
  centre: Centre;
  /** An instance over the storage, with other variables if wished; each further one is a restart. */
  start: (variables?: Record<string, string>) => SmppBind;
  /** One that is set up. */
  bound: (settings?: object) => Promise<SmppBind>;
  storage: DurableObjectStorage;
  /** When the alarm rings, in ms; null where it is not set. */
  alarmMs: () => number | null;
  /** What the account was told, in order. */
  told: News[];
  /** What another object of the carrier was told. */
  relayed: unknown[];
  /** Makes accounts and other objects fail. */
  away: { isAway: boolean };
}

/** A binding that has one object for every name. */
const namespace = (object: object) => ({ getByName: () => object });

/** Runs a test inside an object, whose alarm does not ring by itself. */
export async function inBind(run: (at: At) => Promise<void>, n = 1): Promise<void> {
  const stub = env.SMPP.getByName(`carrier${++opened}:${n}`);
  await runInDurableObject(stub, async (_, ctx) => {
    const centre = new Centre();
    const told: News[] = [];
    const relayed: unknown[] = [];
    const away = { isAway: false };
    let alarmMs: number | null = null;
    vi.spyOn(ctx.storage, "setAlarm").mockImplementation(async (at) => void (alarmMs = Number(at)));
    vi.spyOn(ctx.storage, "deleteAlarm").mockImplementation(async () => void (alarmMs = null));
    const report = async (news: News[]) => void told.push(...news);
    const relay = async (items: unknown[]) => {
      if (away.isAway) throw new Error("the first object is away");
      relayed.push(...items);
    };
    const at = { ...env, ACCOUNT: namespace({ report }), SMPP: namespace({ relay }) } as unknown as Env;
    const start = (variables: Record<string, string> = {}) => {
      const bind = new SmppBind(ctx, { ...at, ...variables });
      bind.dial = centre.dial;
      return bind;
    };
    const bound = async (settings: object = {}) => {
      const bind = start();
      await bind.configure(setupOf(settings), 1);
      await bind.submit(messageOf(1_000_000), 1_000);
      centre.got.length = 0;
      return bind;
    };
    try {
      await run({ centre, start, bound, storage: ctx.storage, alarmMs: () => alarmMs, told, relayed, away });
    } finally {
      for (const connection of centre.connections) connection.cut();
    }
  });
}
