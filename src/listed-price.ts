// What a page knows of the prices abroad, and the browser reads while a number is typed.

/** Units per segment; null where SMS are not offered; "varies" where countries share the code and not the price. */
export type ListedPrice = number | null | "varies";

export interface PriceList {
  /** Wherever `byCode` says nothing. */
  abroad: number;
  byCode: Record<string, ListedPrice>;
}

/** The price of a number that is being typed. */
export function listedPrice({ abroad, byCode }: PriceList, phone: string): ListedPrice {
  const digits = phone.replaceAll(/\D/gu, "").replace(/^00/u, "");
  for (let size = 3; size > 0; size -= 1) {
    const price = byCode[digits.slice(0, size)];
    if (price !== undefined) return price;
  }
  return abroad;
}
