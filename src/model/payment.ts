import type { Plan } from "../money/plans.ts";

/** A payment of an order, with what our own order says that it gives. */
export interface Payment {
  orderId: string;
  /** The provider's id of the payment. */
  paymentRef: string;
  /** Units; the test twin gets the plan and no credit. */
  creditUnits: number;
  plan: Plan;
}

/** Money that went back to whoever paid. */
export interface PaymentRefund {
  orderId: string;
  paymentRef: string;
  /** Of `amountPaise`, which is what the order cost. */
  refundedPaise: number;
  amountPaise: number;
}

/** What taking credit back came to. */
export interface TakenBack {
  refundedPaise: number;
  /** Units that the ledger gave up. */
  taken: number;
  /** Units that were spent already; more than 0 suspends the account. */
  shortfall: number;
}

export type Settled =
  | {
      ok: true;
      /** Whether this call is the one that changed something. */
      changed: boolean;
      /** The payment that the order was credited for: another one paid it twice. */
      paymentRef: string;
      /** The refund of this payment, where one is known. */
      refund: TakenBack | null;
    }
  | { ok: false; reason: "above_limit" };

export type Refunded =
  | { ok: true; changed: boolean; refund: TakenBack }
  /** `early`: kept until the payment is told. `not_credited`: that payment gave no credit, so there is none to take. */
  | { ok: true; changed: boolean; refund: null; why: "early" | "not_credited" }
  | { ok: false; reason: "other_refund" };
