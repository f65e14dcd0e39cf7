/**
 * Documents about money that went back. `credit` and `debit`: credit and debit notes under §34 of the CGST Act. `financial`:
 * a credit note after the time limit of §34(2), which leaves the tax as it is. `receipt`: of a refund where the seller was
 * not registered. `reversal`: takes a `financial` or a `receipt` back.
 */
export const NOTE_KINDS = ["credit", "debit", "financial", "receipt", "reversal"] as const;

export type NoteKind = (typeof NOTE_KINDS)[number];

/** The letter before the number, so that each kind has a series of its own. */
export const NOTE_LETTERS: Record<NoteKind, string> = {
  credit: "C",
  debit: "D",
  financial: "F",
  receipt: "R",
  reversal: "V",
};

/** Whether the document adds to what the buyer owes, in place of taking off. */
export const addsUp = (kind: NoteKind): boolean => kind === "debit" || kind === "reversal";
