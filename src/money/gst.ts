import { INDIA_OFFSET_MS } from "../text/india.ts";

// The GST in a price that includes it, in whole paise; financial years and amounts in words for Indian invoices.

/** Union territories without a legislature: UTGST takes the place of SGST there (UTGST Act, §7). */
const UNION_TERRITORIES: ReadonlySet<string> = new Set(["04", "26", "31", "35", "38", "97"]);

type TaxName = "CGST" | "SGST" | "UTGST" | "IGST";

interface TaxLine {
  name: TaxName;
  /** Of the taxable value. */
  percent: number;
  paise: number;
}

/** A price split into its taxable value and the taxes on it, which add up to the price exactly. */
export interface Tax {
  taxablePaise: number;
  lines: TaxLine[];
}

/** 100 % in hundredths of a percent. */
const WHOLE = 10_000;

/**
 * Takes the tax out of a price that includes it. `halves` names the second of two equal taxes, of which CGST is the
 * first; false means one tax, IGST.
 */
function taxIn(totalPaise: number, percent: number, halves: false | TaxName): Tax {
  const rate = Math.round(percent * 100);
  const parts = halves === false ? 1 : 2;
  // The tax is total × rate ÷ (whole + rate); each part of it is rounded to the nearest paisa.
  const divisor = parts * (WHOLE + rate);
  const part = Math.floor((2 * totalPaise * rate + divisor) / (2 * divisor));
  const names: TaxName[] = halves === false ? ["IGST"] : ["CGST", halves];
  return {
    taxablePaise: totalPaise - parts * part,
    lines: names.map((name) => ({ name, percent: rate / 100 / parts, paise: part })),
  };
}

/** The taxes on a sale: CGST and SGST (or UTGST) within one state, else IGST. States are GST state codes. */
export function taxBetween(totalPaise: number, percent: number, seller: string, place: string): Tax {
  if (seller !== place) return taxIn(totalPaise, percent, false);
  return taxIn(totalPaise, percent, UNION_TERRITORIES.has(place) ? "UTGST" : "SGST");
}

/**
 * The taxes in the part of a price between two amounts of it: the difference of the taxes in both, so that the parts of a
 * price have the taxes of the whole, to the paisa.
 */
export function taxOfPart(fromPaise: number, toPaise: number, percent: number, seller: string, place: string): Tax {
  const [before, after] = [fromPaise, toPaise].map((paise) => taxBetween(paise, percent, seller, place));
  if (!before || !after) throw new Error("two amounts have two taxes");
  return {
    taxablePaise: after.taxablePaise - before.taxablePaise,
    lines: after.lines.map((line, at) => ({ ...line, paise: line.paise - (before.lines[at]?.paise ?? 0) })),
  };
}

const twoDigits = (year: number) => String(year % 100).padStart(2, "0");

/** The financial year of a time in India, such as 26-27: it begins on 1 April. */
export function financialYear(ms: number): string {
  const inIndia = new Date(ms + INDIA_OFFSET_MS);
  const first = inIndia.getUTCMonth() >= 3 ? inIndia.getUTCFullYear() : inIndia.getUTCFullYear() - 1;
  return `${twoDigits(first)}-${twoDigits(first + 1)}`;
}

/**
 * When the time ends, in ms, in which a credit note can take tax back of an invoice of this financial year: with 30 November
 * after that year, in India (CGST Act §34(2)). The annual return, if it is furnished before, ends it earlier.
 */
export function creditNoteEnd(year: string): number {
  const [, last = "00"] = year.split("-");
  return Date.UTC(2000 + Number(last), 11, 1) - INDIA_OFFSET_MS;
}

const ONES =
  "Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen".split(
    " ",
  );
const TENS = "Zero Ten Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety".split(" ");

function belowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? "";
  const ones = value % 10;
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? "" : `-${ONES[ones]}`}`;
}

const SCALES: readonly [number, string][] = [
  [10_000_000, "Crore"],
  [100_000, "Lakh"],
  [1_000, "Thousand"],
  [100, "Hundred"],
];

/** A whole number in English words, as India groups it: 1,23,456 is One Lakh Twenty-Three Thousand …. */
export function numberInWords(value: number): string {
  const words: string[] = [];
  let rest = value;
  for (const [scale, name] of SCALES) {
    const many = Math.floor(rest / scale);
    if (many > 0) words.push(numberInWords(many), name);
    rest %= scale;
  }
  if (rest > 0 || words.length === 0) words.push(belowHundred(rest));
  return words.join(" ");
}

/** An amount in words: Rupees Four Hundred Ninety-Nine Only. */
export function amountInWords(paise: number): string {
  const fraction = paise % 100;
  const rupees = `Rupees ${numberInWords(Math.floor(paise / 100))}`;
  return fraction === 0 ? `${rupees} Only` : `${rupees} and ${numberInWords(fraction)} Paise Only`;
}
