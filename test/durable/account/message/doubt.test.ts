import { describe, expect, it } from "vitest";
import { applyOutcome, applyReceipt, claim } from "../../../../src/durable/account/message-life.ts";
import { eventsBetween } from "../../../../src/durable/account/events/told.ts";
import { applyTime } from "../../../../src/durable/account/message/deadlines.ts";
import type { Message, Step } from "../../../../src/durable/account/message/states.ts";
import { attemptsIn } from "../../../../src/model/message.ts";
import type { Outcome, ReceiptState } from "../../../../src/model/message.ts";
import { EXPIRES, LEASE_MS, T0, at, fresh } from "../../../world/message-steps.ts";

// Who has a message while that is not known, and what is left of it once it is (contract §9, §16.2).

const OWN = "acme";
const SUBMITTED: Outcome = { kind: "submitted" };
const REJECTED: Outcome = { kind: "rejected", code: "http_400" };
const BUSY: Outcome = { kind: "not_accepted", code: "http_503" };
const UNKNOWN: Outcome = { kind: "unknown", code: "timeout" };

/** One message, with what its account was charged back. */
class Life {
  message: Message = fresh;
  refunds = 0;
  nowMs = T0;

  #take(next: Step): this {
    this.message = next.message;
    if (next.refund) this.refunds += 1;
    return this;
  }

  /** Claims it for its first carrier and others, or for any of a plan. */
  claim(plan: string[], by?: string): this {
    this.nowMs += 60_000;
    const claimed = claim(at(this.nowMs), this.message, 0, { leaseMs: LEASE_MS, resubmits: false, plan, by });
    if (!claimed) throw new Error("it cannot be claimed");
    [this.message] = claimed;
    return this;
  }

  /** Reports the outcome of the last claim; without names its first carrier got it alone. */
  report(outcome: Outcome, ...names: string[]): this {
    this.nowMs += 1_000;
    const tried = names.map((carrier, nth) => ({
      carrier,
      at: this.nowMs - 900,
      ...(nth < names.length - 1 && { code: "http_503" }),
    }));
    const offered = names.length > 0 ? { offered: { tried, follow: false, resubmits: false } } : {};
    const news = { attempt: this.message.attempts, outcome, ...offered };
    return this.#take(
      applyOutcome(at(this.nowMs), this.message, news, { expiresAt: EXPIRES, follow: false, carrier: OWN }),
    );
  }

  says(carrier: string, state: ReceiptState): this {
    this.nowMs += 1_000;
    return this.#take(applyReceipt(at(this.nowMs), this.message, { carrier, state }, OWN));
  }

  leaseEnds(): this {
    this.nowMs += LEASE_MS;
    return this.#take(applyTime(at(this.nowMs), this.message, { expiresAt: EXPIRES, carrier: OWN, canLookUp: false }));
  }

  /** State and refunds; both say the same of money. */
  get end(): string {
    expect(this.message.refunded === true ? 1 : 0).toBe(this.refunds);
    return `${this.message.state} ${this.refunds}`;
  }

  get timeline(): string[] {
    const entered = (this.message.log ?? []).map(([state, ms, note]) => ({ state, at: ms, ...note }));
    return attemptsIn(entered, OWN, null).map(({ state, carrier = "-" }) => `${state} ${carrier}`);
  }
}

describe("a carrier that delivered", () => {
  it("is not refunded by the next one's no: it had refused, and delivered all the same before the report", () => {
    const life = new Life().claim(["acme", "bravo"], "").says("acme", "delivered").report(REJECTED, "acme", "bravo");
    expect(life.end).toBe("delivered 0");
    expect(life.timeline).toEqual(["sending acme", "queued acme", "sending bravo", "queued bravo", "delivered acme"]);
  });

  it("of an earlier round is believed where the next claim is given back", () => {
    const life = new Life().claim(["acme", "bravo"], "").report(BUSY, "acme", "bravo");
    life.claim(["acme", "bravo"], "").says("acme", "delivered").report({ kind: "released" });
    expect(life.end).toBe("delivered 0");
  });

  it.each(["undelivered", "failed"] as const)("wins after the lease over another one's %s", (state) => {
    const refunds = state === "failed" ? 1 : 0;
    const open = new Life().claim(["acme", "bravo"], "").leaseEnds().says("acme", state).says("bravo", "delivered");
    expect(open.end).toBe(`delivered ${refunds}`);
    // The claim named the first one; the second one's word does not make the first a stranger.
    const named = new Life().claim(["bravo"]).leaseEnds().says("bravo", state).says("acme", "delivered");
    expect(named.end).toBe(`delivered ${refunds}`);
  });

  it("is believed however many receipts were kept before", () => {
    const plan = Array.from({ length: 9 }, (_, nth) => `c${nth}`);
    const life = new Life().claim(plan, "");
    for (const name of plan) life.says(name, "submitted").says(name, "undelivered").says(name, "failed");
    expect(life.says("c8", "delivered").leaseEnds().end).toBe("delivered 0");
  });
});

describe("a carrier that refused", () => {
  it("is told to have delivered a message that waits", () => {
    const last = new Life().claim(["acme", "bravo"], "").report(BUSY, "acme", "bravo").says("bravo", "delivered");
    expect(last.timeline.slice(-2)).toEqual(["queued bravo", "delivered bravo"]);
    const first = new Life().claim(["acme", "bravo"], "").report(BUSY, "acme", "bravo").says("acme", "delivered");
    expect(first.timeline.slice(-2)).toEqual(["queued bravo", "delivered acme"]);
  });

  it.each(["submitted", "undelivered", "failed"] as const)(
    "ends no message that waits after all of them refused: %s, before the report and after",
    (state) => {
      const before = new Life().claim(["acme", "bravo"], "").says("acme", state).report(BUSY, "acme", "bravo");
      expect(before.end).toBe("queued 0");
      const after = new Life().claim(["acme", "bravo"], "").report(BUSY, "acme", "bravo").says("acme", state);
      expect(after.end).toBe("queued 0");
    },
  );

  it("ends nothing that another one has said it has, though its consumer died", () => {
    const life = new Life().claim(["bravo"]).leaseEnds().says("bravo", "submitted").says("acme", "failed");
    expect(life.end).toBe("submitted 0");
  });
});

describe("a late report", () => {
  it("that the first carrier got it alone ends the doubt: another one's failure refunds nothing", () => {
    const life = new Life().claim(["bravo"]).leaseEnds().report(SUBMITTED).says("bravo", "failed");
    expect(life.end).toBe("submitted 0");
  });

  it("tells the one carrier that was tried where an earlier one had delivered", () => {
    const life = new Life().claim(["acme", "bravo"], "").report(BUSY, "acme", "bravo");
    life.claim(["bravo", "charlie"], "").says("acme", "delivered").report(SUBMITTED, "charlie");
    expect(life.end).toBe("delivered 0");
    expect(life.timeline.slice(-3)).toEqual(["sending charlie", "submitted charlie", "delivered acme"]);
  });

  it("leaves a delivery to the carrier that told it, where another one was tried last", () => {
    const life = new Life().claim(["bravo"]).says("acme", "delivered").report(SUBMITTED, "acme", "bravo");
    expect(life.timeline).toEqual(["sending acme", "queued acme", "sending bravo", "delivered acme"]);
  });

  it("changes nothing the second time, also where it leaves the doubt", () => {
    const life = new Life().claim(["acme", "bravo"], "").leaseEnds().report(UNKNOWN, "acme", "bravo");
    const { message } = life;
    expect(life.report(UNKNOWN, "acme", "bravo").message).toBe(message);
  });

  it("is no second event of what was told before it", () => {
    const job = { seq: 1, requestId: "r", operation: "sms" as const, charge: 1, secretId: 1, createdAt: T0 };
    const life = new Life().claim(["acme", "bravo"], "").leaseEnds();
    const lost = life.message;
    const told = life.report(SUBMITTED, "acme", "bravo").message;
    expect(eventsBetween(job, [lost], [told]).map(({ type }) => type)).toEqual(["message.submitted"]);
    const delivered = new Life().claim(["acme", "bravo"], "").leaseEnds().says("bravo", "delivered");
    const before = delivered.message;
    const after = delivered.report(SUBMITTED, "acme", "bravo").message;
    expect(after).not.toBe(before);
    expect(eventsBetween(job, [before], [after])).toEqual([]);
  });
});
