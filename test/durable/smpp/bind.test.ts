import { afterEach, describe, expect, it, vi } from "vitest";
import { COMMAND, answerTo } from "../../../src/smpp/pdu.ts";
import { inBind, messageOf, refOf, setupOf } from "../../world/smpp-bind.ts";
import { until } from "../../world/smpp.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The name of the carrier, as `inBind` makes them. */
const NAME = expect.stringMatching(/^carrier\d+$/u) as unknown;

describe("a bind of a carrier over SMPP", () => {
  it("is made when it is set up, and takes a message once", () =>
    inBind(async ({ centre, start, storage, alarmMs }) => {
      const bind = start();
      expect(await bind.submit(messageOf(1), 1_000)).toMatchObject({
        outcome: { kind: "not_accepted", code: "not_configured" },
      });
      expect(centre.dials).toBe(0);
      expect(await bind.configure(setupOf(), 5)).toBe(true);
      await until(() => bind.standing()[0]?.state === "bound");
      expect(alarmMs()).toBeGreaterThan(Date.now());
      expect(await bind.submit(messageOf(1), 1_000)).toEqual({
        outcome: { kind: "submitted" },
        commandStatus: 0,
        messageId: "1",
      });
      expect(centre.of(COMMAND.submitSm)).toHaveLength(1);
      expect(storage.sql.exec("SELECT id, ref, nth, parts FROM part").toArray()).toEqual([
        { id: "1", ref: refOf(1), nth: 1, parts: 1 },
      ]);
      expect(bind.standing()).toEqual([
        { n: 1, mode: "trx", state: "bound", since: expect.any(Number) as number, inFlight: 0 },
      ]);
    }));

  it("stores its password sealed, and stays with the newest setup", () =>
    inBind(async ({ centre, start, storage }) => {
      const bind = start();
      await bind.configure(setupOf(), 5);
      expect(JSON.stringify([...storage.kv.list()])).not.toContain("secret-of-the-bind");
      expect(await bind.configure(setupOf({ port: 1 }), 4)).toBe(false);
      expect(await bind.configure(setupOf({ port: 1 }), 0)).toBe(false);
      expect(await bind.configure(setupOf(), 6)).toBe(true);
      expect(centre.dials).toBe(1);
      expect(await bind.configure(setupOf({ system_id: "other" }), 7)).toBe(true);
      await until(() => bind.standing()[0]?.state === "bound");
      expect(centre.dials).toBe(2);
      await until(() => centre.of(COMMAND.unbind).length === 1);
    }));

  it("tells throttling, refusals and a refused bind apart", () =>
    inBind(async ({ centre, bound, start }) => {
      const bind = await bound();
      for (const [status, kind] of [
        [0x58, "not_accepted"],
        [0x14, "not_accepted"],
        [0x08, "not_accepted"],
        [0x0b, "rejected"],
      ] as const) {
        centre.onSubmit = () => ({ status });
        const code = `smpp_0x${status.toString(16).padStart(2, "0")}`;
        expect((await bind.submit(messageOf(1), 1_000)).outcome).toEqual({ kind, code });
      }
      centre.bindStatus = 0x0e;
      centre.last.cut();
      await until(() => bind.standing()[0]?.state === "down");
      const again = start();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await again.alarm();
      expect(again.standing()[0]?.state).toBe("refused");
      expect((await again.submit(messageOf(2), 1_000)).outcome).toEqual({ kind: "not_accepted", code: "bind_refused" });
    }));

  it("does not know what a cut or a silent centre took, and takes a late answer", () =>
    inBind(async ({ centre, bound, told, storage }) => {
      const bind = await bound();
      centre.onSubmit = (_pdu, _centre, connection) => {
        connection.cut();
        return null;
      };
      expect((await bind.submit(messageOf(1), 1_000)).outcome).toEqual({ kind: "unknown", code: "connection_broken" });
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await bind.alarm();
      centre.onSubmit = () => null;
      expect((await bind.submit(messageOf(2), 1_000)).outcome).toEqual({ kind: "unknown", code: "timeout" });
      const sequence = centre.of(COMMAND.submitSm).at(-1)?.sequence ?? 0;
      const body = new TextEncoder().encode("late\0");
      centre.last.send({ command: answerTo(COMMAND.submitSm), sequence, body });
      await until(() => told.length > 0);
      expect(told).toEqual([{ kind: "receipt", seq: 2, index: 0, carrier: NAME, state: "submitted" }]);
      expect(storage.sql.exec("SELECT ref FROM part WHERE id = 'late'").one()).toEqual({ ref: refOf(2) });
      expect(centre.of(COMMAND.submitSm)).toHaveLength(2);
    }));

  it("has no more in flight than its window, and says when it stays full", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound({ window: 2 });
      const waiting: (() => void)[] = [];
      centre.onSubmit = ({ sequence }, _centre, connection) => {
        const body = new TextEncoder().encode(`w${sequence}\0`);
        waiting.push(() => connection.send({ command: answerTo(COMMAND.submitSm), sequence, body }));
        return null;
      };
      const done = [1, 2, 3, 4].map((seq) => bind.submit(messageOf(seq), 900));
      await until(() => waiting.length === 2);
      expect(bind.standing()[0]?.inFlight).toBe(2);
      expect((await bind.submit(messageOf(5), 1)).outcome).toEqual({ kind: "not_accepted", code: "window_full" });
      expect(waiting).toHaveLength(2);
      for (let nth = 0; nth < 4; nth += 1) {
        await until(() => waiting.length > nth);
        waiting[nth]?.();
      }
      expect((await Promise.all(done)).map(({ outcome }) => outcome.kind)).toEqual(Array(4).fill("submitted"));
      expect(bind.standing()[0]?.inFlight).toBe(0);
    }));

  it("sends over one connection and hears over another", () =>
    inBind(async ({ centre, bound, told }) => {
      const bind = await bound({ bind: "tx_rx" });
      await until(() => bind.standing().every(({ state }) => state === "bound"));
      expect(bind.standing().map(({ mode }) => mode)).toEqual(["tx", "rx"]);
      expect(centre.connections.map(({ mode }) => mode)).toEqual([COMMAND.bindTransmitter, COMMAND.bindReceiver]);
      const done = await bind.submit(messageOf(7), 1_000);
      centre.connections[1]?.deliver(`id:${done.messageId} stat:DELIVRD err:000`);
      await until(() => told.length > 0);
      expect(told[0]).toMatchObject({ seq: 7, state: "delivered" });
    }));
});

it("a bind starts, rings, and takes nothing while a setting is broken", () =>
  inBind(async ({ bound, start, alarmMs }) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await bound();
    const broken = start({ CARRIER_HTTP_SECRET: "no whsec" });
    await broken.alarm();
    expect(alarmMs()).toBeGreaterThan(Date.now());
    expect((await broken.submit(messageOf(1), 1_000)).outcome).toEqual({
      kind: "not_accepted",
      code: "not_configured",
    });
    expect((await start().submit(messageOf(1), 1_000)).outcome).toEqual({ kind: "submitted" });
  }));

describe("a bind that is lost", () => {
  it("is made again by the alarm, with gaps that grow to 30 s and outlive the object", () =>
    inBind(async ({ centre, bound, start, alarmMs }) => {
      const bind = await bound();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
      centre.isAway = true;
      centre.last.cut();
      await until(() => bind.standing()[0]?.state === "down");
      const gaps: number[] = [];
      for (let tries = 0; tries < 8; tries += 1) {
        gaps.push((alarmMs() ?? 0) - Date.now());
        vi.setSystemTime(alarmMs() ?? 0);
        // Each try is another instance, as after an eviction.
        await start().alarm();
      }
      expect(gaps).toEqual([...gaps].toSorted((a, b) => a - b));
      expect(gaps[0]).toBeLessThanOrEqual(2_000);
      expect(gaps.at(-1)).toBe(30_000);
      const before = centre.dials;
      expect((await start().submit(messageOf(2), 1_000)).outcome).toEqual({ kind: "not_accepted", code: "no_bind" });
      expect(centre.dials).toBe(before);
      centre.isAway = false;
      vi.setSystemTime(alarmMs() ?? 0);
      const last = start();
      await last.alarm();
      expect(last.standing()[0]?.state).toBe("bound");
      expect((await last.submit(messageOf(3), 1_000)).outcome).toEqual({ kind: "submitted" });
    }));

  it("is made by a restarted object that is only asked to send", () =>
    inBind(async ({ bound, start }) => {
      await bound();
      expect((await start().submit(messageOf(1), 1_000)).outcome).toEqual({ kind: "submitted" });
    }));

  it("is found by the alarm's question, which a frozen centre does not answer", () =>
    inBind(async ({ centre, bound, alarmMs }) => {
      const bind = await bound();
      await bind.alarm();
      expect(centre.of(COMMAND.enquireLink)).toHaveLength(1);
      expect(alarmMs()).toBeLessThanOrEqual(Date.now() + 30_000);
      centre.isSilent = true;
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
      await bind.alarm();
      expect(bind.standing()[0]?.state).toBe("down");
    }));

  it("is given up for one that works after a centre's goodbye", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound();
      centre.last.send({ command: COMMAND.unbind, sequence: 9 });
      await until(() => bind.standing()[0]?.state === "down");
      expect(centre.of(answerTo(COMMAND.unbind))).toHaveLength(1);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
      await bind.alarm();
      expect(bind.standing()[0]?.state).toBe("bound");
    }));

  it("ends at octets that are no units", () =>
    inBind(async ({ centre, bound }) => {
      const bind = await bound();
      centre.last.send({ command: COMMAND.genericNack, body: new Uint8Array(70_000) });
      await until(() => bind.standing()[0]?.state === "down");
    }));
});
