// Phone numbers as people write them: mended where only one number can be meant, refused with a sentence otherwise.

export type Mended = { ok: true; number: string } | { ok: false; problem: string };

const refused = (problem: string): Mended => ({ ok: false, problem });

/** Marks that people put between digits. */
const MARKS = /[\s().\u00A0\u2010-\u2015\u202F-]/gu;

/** The number without the marks in it, or why it cannot be one. */
function digitsIn(written: string): Mended {
  const shown = JSON.stringify(written);
  if (written.trim() === "") return refused("A number is empty.");
  if (/^[0-9][.,][0-9]+E\+?[0-9]+$/iu.test(written.trim())) {
    return refused(`${shown} was shortened by a spreadsheet; format its column as text.`);
  }
  if (/\(0\)/u.test(written)) {
    return refused(`${shown} has a (0) that is not dialled with a country code; leave it out.`);
  }
  const number = written.replaceAll(MARKS, "");
  return /^\+?[0-9]+$/u.test(number) ? { ok: true, number } : refused(`${shown} is no phone number.`);
}

/** Ten digits of an Indian number; +91, 0091, 91 and 0 before ten digits are left out. */
export function indianNumber(written: string): Mended {
  const found = digitsIn(written);
  if (!found.ok) return found;
  const [, ten] = /^(?:\+91|0091|91|0)?([0-9]{10})$/u.exec(found.number) ?? [];
  if (ten !== undefined) return { ok: true, number: ten };
  const abroad = /^(?:\+|00)(?!91)/u.test(found.number);
  return refused(
    abroad
      ? `${JSON.stringify(written)} is not Indian; SMS abroad: dastak send-international-sms`
      : `${JSON.stringify(written)} is no Indian number: ten digits, with or without +91.`,
  );
}

/** + and the digits of a number with its country code; 00 is taken for the +. */
export function internationalNumber(written: string): Mended {
  const found = digitsIn(written);
  if (!found.ok) return found;
  const number = found.number.replace(/^00/u, "+");
  return number.startsWith("+")
    ? { ok: true, number }
    : refused(`${JSON.stringify(written)} lacks + and its country code, such as +44.`);
}

/** The digits of a number with its country code: what begins with + or 00, or with 91 and has twelve digits. */
export function dialledNumber(written: string): Mended {
  const found = digitsIn(written);
  if (!found.ok || /^91[0-9]{10}$/u.test(found.number)) return found;
  const mended = internationalNumber(written);
  return mended.ok ? { ok: true, number: mended.number.slice(1) } : mended;
}
