// Numbers that choose an ending with a test key (contract §11). The simulator follows this table, and pages teach it.

/** The endings by the last two digits of 70000000NN. */
const ENDINGS = {
  "00": "delivered",
  "01": "rejected",
  "02": "undelivered",
  "03": "no_receipt",
  "04": "busy_twice",
  "05": "timeout",
} as const;

export type TestEnding = (typeof ENDINGS)[keyof typeof ENDINGS];

/** Each number, without country code, with its ending. */
export const TEST_NUMBERS: readonly { phone: string; ending: TestEnding }[] = Object.entries(ENDINGS).map(
  ([digits, ending]) => ({ phone: `70000000${digits}`, ending }),
);

/** The ending that an E.164 number chooses; null for any other number. */
export function testEnding(e164: string): TestEnding | null {
  return TEST_NUMBERS.find(({ phone }) => e164 === `+91${phone}`)?.ending ?? null;
}
