// What a page knows of the prices abroad, and the browser reads while a number is typed.

/** Units per segment; null where SMS are not offered; "varies" where countries share the code and not the price. */
type ListedPrice = number | null | "varies";

export interface PriceList {
  /** Wherever `byCode` says nothing. */
  abroad: number;
  byCode: Record<string, ListedPrice>;
}

/** The price of a number that is being typed. No calling code begins with another one. */
export function listedPrice({ abroad, byCode }: PriceList, phone: string): ListedPrice {
  const digits = phone.replace(/\D/g, "").replace(/^00/, "");
  const listed = Object.entries(byCode).find(([code]) => digits.startsWith(code));
  return listed ? listed[1] : abroad;
}
