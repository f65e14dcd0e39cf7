// Disputes of payments (chargebacks), in the words of https://razorpay.com/docs/api/disputes/entity

export const DISPUTE_STATUSES = ["open", "under_review", "action_required", "won", "lost", "closed"] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** `fraud` and `retrieval` are questions of a bank; the others are claims, each the appeal against the one before. */
export const DISPUTE_PHASES = ["fraud", "retrieval", "chargeback", "pre_arbitration", "arbitration"] as const;

export type DisputePhase = (typeof DISPUTE_PHASES)[number] | "unknown";

/** Whether the operator, or the bank, still has to act. */
export const isDisputeOpen = (status: DisputeStatus): boolean =>
  status === "open" || status === "under_review" || status === "action_required";

/** The later of two reports with the same time is the one that is further on this way. */
const RANKS: Record<DisputeStatus, number> = {
  open: 0,
  under_review: 1,
  action_required: 1,
  closed: 2,
  lost: 2,
  won: 3,
};

/** The version of a report, by the provider's time of it, in ms. */
export const disputeVersion = (atMs: number, status: DisputeStatus): number => atMs * 4 + RANKS[status];

/** A report of a dispute. */
export interface DisputeReport {
  disputeId: string;
  status: DisputeStatus;
  phase: DisputePhase;
  reason: string | null;
  amountPaise: number;
  /** What the provider took from the operator for it; null where the report does not say. */
  deductedPaise: number | null;
  /** In ms. */
  respondBy: number | null;
  version: number;
}
