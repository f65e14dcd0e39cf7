// The references of payments in the ledger, which say what was recorded already (ledger_entry.reference is unique).

/** The references of the entries that credit a paid order; the order's id follows. */
export const PAID = "payment:";

/** The references of the entries that take a refunded payment's credit back, or give it back after a dispute was won. */
export const PAYMENT_REFUND = "payment-refund:";

/** The exclusive upper bound of the references that begin with a prefix ending in ":". */
export const endOf = (prefix: string) => `${prefix.slice(0, -1)};`;

/** The bounds, the second one exclusive, of the references that continue this one after a ":". */
export const laterReferences = (reference: string): [from: string, to: string] => [
  `${reference}:`,
  endOf(`${reference}:`),
];
