import type { Plan } from "../../money/plans.ts";

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

/** How a dispute of a payment (a chargeback) stands at the provider. */
export interface PaymentDispute {
  orderId: string;
  paymentRef: string;
  /** The provider's id of the dispute. */
  disputeId: string;
  /** What it took from the operator for now: 0 while it is open and after it was won. */
  deductedPaise: number;
  /** The price of the order. */
  amountPaise: number;
  /** Of two reports of a dispute the one with the higher number is the later. */
  version: number;
}

/** What a report of a dispute did. */
export type Disputed =
  /** `deductedPaise`: what the dispute took, by the latest of its reports, which need not be this one. */
  | { changed: boolean; refund: TakenBack; deductedPaise: number }
  | { changed: false; refund: null; why: "early" | "not_credited" };

/** What the refund or dispute of one order left owed. In units. */
export interface Debt {
  orderId: string;
  shortfall: number;
  /** What refunds of messages paid of it. */
  paid: number;
  since: number;
}

/** What an account owes, and what was owed before. */
export interface Debts {
  /** Units that are owed now. */
  owed: number;
  /** Oldest first. */
  debts: Debt[];
  /** The newest payments, newest first: what went to the debt when messages of a request were refunded. */
  payments: { amount: number; requestId: string | null; at: number }[];
}
