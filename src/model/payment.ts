import type { Plan } from "../money/plans.ts";

// What a payment or a refund changes in an account.

/** A payment of an order, with the plan and the credit from the order's row. */
export interface Payment {
  orderId: string;
  /** The provider's id of the payment. */
  paymentRef: string;
  /** Units; 0 for the test object, which gets only the plan. */
  creditUnits: number;
  plan: Plan;
}

/** Money that the provider paid back to the buyer, at once or in parts. */
export interface PaymentRefund {
  orderId: string;
  paymentRef: string;
  /** The total that was refunded so far of `amountPaise`, which is the price of the order. */
  refundedPaise: number;
  amountPaise: number;
}

/** What was taken back for an order so far, by all its refunds. */
export interface TakenBack {
  refundedPaise: number;
  /** Units that were deducted from the balance. */
  taken: number;
  /** Units that were spent already and could not be deducted; more than 0 suspends the account, which owes them. */
  shortfall: number;
}

export type Settled =
  | {
      ok: true;
      /** Whether this call changed anything; false for a repeated one. */
      changed: boolean;
      /** The payment for which the order was credited; if it is a different one, the order was paid twice. */
      paymentRef: string;
      /** The refund of this payment, where one is known. */
      refund: TakenBack | null;
    }
  | { ok: false; reason: "above_limit" };

/** What a report of a refund did. */
export type Refunded =
  /** `changed`: whether this report added to what was taken back; false for a repeated or late one. */
  | { changed: boolean; refund: TakenBack }
  /** `early`: recorded until the payment is reported. `not_credited`: that payment gave no credit to take back. */
  | { changed: boolean; refund: null; why: "early" | "not_credited" };
