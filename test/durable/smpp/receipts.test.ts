import { afterEach, describe, expect, it, vi } from "vitest";
import { COMMAND, answerTo } from "../../../src/smpp/pdu.ts";
import { inBind, messageOf, refOf } from "../../world/smpp-bind.ts";
import { until } from "../../world/smpp.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const LONG = "क".repeat(160);
const DAY_MS = 86_400_000;

/** The name of the carrier, as `inBind` makes them. */
const NAME = expect.stringMatching(/^carrier\d+$/u) as unknown;

describe("receipts over SMPP", () => {
  it("are on disk before they are answered, and always answered 0", () =>
    inBind(async ({ centre, bound, told, storage }) => {
      const bind = await bound();
      await bind.submit(messageOf(1), 1_000);
      const order: string[] = [];
      const sync = storage.sync.bind(storage);
      vi.spyOn(storage, "sync").mockImplementation(async () => {
        order.push(`synced, answered ${centre.of(answerTo(COMMAND.deliverSm)).length}`);
        await sync();
      });
      centre.last.deliver("id:2 stat:UNDELIV err:011");
      await until(() => told.length > 0);
      expect(told).toEqual([{ kind: "receipt", seq: 1, index: 0, carrier: NAME, state: "undelivered", code: "011" }]);
      centre.last.deliver("id:2 stat:UNDELIV err:011");
      centre.last.deliver("id:unknown stat:DELIVRD");
      centre.last.deliver("a message from a phone", { esmClass: 0 });
      centre.last.send({ command: COMMAND.deliverSm, sequence: 99, body: new Uint8Array(3) });
      await until(() => centre.of(answerTo(COMMAND.deliverSm)).length === 5);
      expect(centre.of(answerTo(COMMAND.deliverSm)).map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
      expect(order[0]).toBe("synced, answered 0");
    }));

  it("are not answered where they cannot be stored, so that they come again", () =>
    inBind(async ({ centre, bound, told, storage }) => {
      await bound();
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      const broken = vi.spyOn(storage, "transactionSync").mockImplementation(() => {
        throw new Error("the disk is full");
      });
      centre.last.deliver("id:1 stat:DELIVRD");
      centre.last.send({ command: COMMAND.enquireLink, sequence: 77 });
      await until(() => centre.of(answerTo(COMMAND.enquireLink)).length === 1);
      expect(centre.of(answerTo(COMMAND.deliverSm))).toEqual([]);
      broken.mockRestore();
      centre.last.deliver("id:1 stat:DELIVRD");
      await until(() => told.length > 0);
    }));

  it("that come before the answer to their message are kept, and count then", () =>
    inBind(async ({ centre, bound, told, storage }) => {
      const bind = await bound();
      centre.onSubmit = (_pdu, _centre, connection) => {
        connection.deliver("id:soon stat:DELIVRD err:000");
        return { id: "soon" };
      };
      expect((await bind.submit(messageOf(4), 1_000)).outcome).toEqual({ kind: "submitted" });
      await until(() => told.length > 0);
      expect(told).toEqual([{ kind: "receipt", seq: 4, index: 0, carrier: NAME, state: "delivered" }]);
      expect(storage.sql.exec("SELECT * FROM early").toArray()).toEqual([]);
    }));

  it("find their message after a restart, in either form of an id", () =>
    inBind(async ({ centre, bound, start, told }) => {
      const bind = await bound({ id_form: "hex" });
      centre.onSubmit = () => ({ id: "00FF" });
      await bind.submit(messageOf(5), 1_000);
      const again = start();
      await again.alarm();
      centre.last.deliver("id:255 stat:EXPIRED err:000");
      await until(() => told.length > 0);
      expect(told).toEqual([
        { kind: "receipt", seq: 5, index: 0, carrier: NAME, state: "undelivered", code: "EXPIRED" },
      ]);
    }));

  it("make a message of several parts delivered once all are, and undelivered once one is", () =>
    inBind(async ({ centre, bound, told }) => {
      const bind = await bound();
      const ids: string[] = [];
      centre.onSubmit = () => {
        ids.push(`p${ids.length}`);
        return { id: ids.at(-1) ?? "" };
      };
      await bind.submit(messageOf(6, { text: LONG }), 1_000);
      await bind.submit(messageOf(7, { text: LONG }), 1_000);
      expect(ids).toHaveLength(6);
      const delivered = (nth: number) => centre.last.deliver(`id:${ids[nth]} stat:DELIVRD err:000`);
      for (const nth of [2, 0, 0, 3]) delivered(nth);
      await until(() => centre.of(answerTo(COMMAND.deliverSm)).length === 4);
      expect(told).toEqual([]);
      delivered(1);
      await until(() => told.length > 0);
      expect(told).toEqual([{ kind: "receipt", seq: 6, index: 0, carrier: NAME, state: "delivered" }]);
      centre.last.deliver(`id:${ids[5]} stat:UNDELIV err:005`);
      await until(() => told.length > 1);
      expect(told[1]).toMatchObject({ seq: 7, state: "undelivered", code: "005" });
    }));

  it("are forgotten with their ids after the window, and no earlier", () =>
    inBind(async ({ centre, bound, told }) => {
      const bind = await bound();
      await bind.submit(messageOf(8), 1_000);
      const sentMs = Date.now();
      vi.useFakeTimers({ toFake: ["Date"], now: sentMs + 2.9 * DAY_MS });
      await bind.alarm();
      centre.last.deliver("id:2 stat:DELIVRD");
      await until(() => told.length > 0);
      vi.setSystemTime(sentMs + 6 * DAY_MS);
      await bind.alarm();
      centre.last.deliver("id:2 stat:DELIVRD");
      await until(() => centre.of(answerTo(COMMAND.deliverSm)).length === 2);
      expect(told).toHaveLength(1);
    }));
});

describe("a message of several parts", () => {
  it("is not taken where its first part is not, and nothing else of it is sent", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound();
      centre.onSubmit = () => ({ status: 0x58 });
      const done = await bind.submit(messageOf(1, { text: LONG }), 1_000);
      expect(done.outcome).toEqual({ kind: "not_accepted", code: "smpp_0x58" });
      expect(centre.of(COMMAND.submitSm)).toHaveLength(1);
    }));

  it("goes on where a later part is throttled, since the first is taken", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound();
      let nth = 0;
      centre.onSubmit = () => ((nth += 1) === 2 ? { status: 0x58 } : {});
      const done = await bind.submit(messageOf(1, { text: LONG }), 5_000);
      expect(done.outcome).toEqual({ kind: "submitted" });
      expect(centre.of(COMMAND.submitSm)).toHaveLength(4);
    }));

  it("is rejected where a later part is, and unknown where one never comes through", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound();
      let nth = 0;
      centre.onSubmit = () => ((nth += 1) === 3 ? { status: 0x0b } : {});
      expect((await bind.submit(messageOf(1, { text: LONG }), 100)).outcome.kind).toBe("rejected");
      nth = 0;
      centre.onSubmit = () => ((nth += 1) > 1 ? { status: 0x58 } : {});
      const done = await bind.submit(messageOf(1, { text: LONG }), 100);
      expect(done.outcome).toEqual({ kind: "unknown", code: "smpp_0x58" });
    }));
});

describe("the carrier's binds together", () => {
  it("have their ids and receipts in the first, also where it is away for a while", () =>
    inBind(async ({ centre, bound, relayed, away, storage }) => {
      const bind = await bound();
      relayed.length = 0;
      vi.spyOn(console, "error").mockImplementation(() => undefined);
      away.isAway = true;
      const { messageId } = await bind.submit(messageOf(3), 1_000);
      centre.last.deliver(`id:${messageId} stat:DELIVRD err:000`);
      await until(() => centre.of(answerTo(COMMAND.deliverSm)).length === 1);
      expect(relayed).toEqual([]);
      away.isAway = false;
      await bind.alarm();
      expect(relayed).toEqual([
        { kind: "given", id: messageId, ref: refOf(3), nth: 1, parts: 1 },
        { kind: "receipt", id: messageId, state: "delivered", code: null },
      ]);
      expect(storage.sql.exec("SELECT * FROM outbox").toArray()).toEqual([]);
    }, 2));

  it("meet in the first one, in any order", () =>
    inBind(async ({ start, told }) => {
      const first = start();
      first.relay([{ kind: "receipt", id: "x", state: "failed", code: "633" }]);
      expect(told).toEqual([]);
      first.relay([{ kind: "given", id: "x", ref: refOf(9), nth: 1, parts: 1 }]);
      await until(() => told.length > 0);
      expect(told).toEqual([{ kind: "receipt", seq: 9, index: 0, carrier: NAME, state: "failed", code: "633" }]);
    }));
});

describe("a carrier that was deleted", () => {
  it("takes receipts of what it was given, for as long as they may come, and nothing else", () =>
    inBind(async ({ centre, bound, told, alarmMs }) => {
      const bind = await bound();
      await bind.submit(messageOf(2), 1_000);
      const sentMs = Date.now();
      bind.retire(sentMs);
      expect((await bind.submit(messageOf(3), 1_000)).outcome).toEqual({
        kind: "not_accepted",
        code: "not_configured",
      });
      await bind.alarm();
      centre.last.deliver("id:2 stat:DELIVRD");
      await until(() => told.length > 0);
      vi.useFakeTimers({ toFake: ["Date"], now: sentMs + 4 * DAY_MS });
      await bind.alarm();
      expect(centre.of(COMMAND.unbind)).toHaveLength(1);
      expect(alarmMs()).toBeNull();
    }));

  it("leaves nothing of its other binds", () =>
    inBind(async ({ bound, storage, centre }) => {
      const bind = await bound();
      bind.retire(Date.now());
      await bind.alarm();
      expect(centre.of(COMMAND.unbind)).toHaveLength(1);
      expect([...storage.kv.list()]).toEqual([]);
      expect((await bind.submit(messageOf(3), 1_000)).outcome).toMatchObject({ code: "not_configured" });
    }, 2));
});
