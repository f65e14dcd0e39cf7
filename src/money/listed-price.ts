// Prices abroad as a page carries them, so that the browser can show the price while a number is typed.

/** Units per segment; null where SMS are not offered; "varies" where countries share a calling code but not a price. */
type ListedPrice = number | null | "varies";

export interface PriceList {
  /** Units per segment for every calling code that is missing from `byCode`. */
  abroad: number;
  byCode: Record<string, ListedPrice>;
}

/** The price of a number that is being typed. The first match is right: no calling code is the beginning of another. */
export function listedPrice({ abroad, byCode }: PriceList, phone: string): ListedPrice {
  const digits = phone.replace(/\D/g, "").replace(/^00/, "");
  const listed = Object.entries(byCode).find(([code]) => digits.startsWith(code));
  return listed ? listed[1] : abroad;
}
