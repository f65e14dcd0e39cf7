import type { Buyer } from "../model/person.ts";
import { isGstState, isGstin } from "../money/gstin.ts";
import { LENGTH_MAX } from "../text/lengths.ts";
import { oneLine } from "../text/one-line.ts";
import { asciiDigits } from "../text/phones.ts";

// Reads the buyer on an invoice from a form.

type BuyerFault = "name" | "address" | "state" | "gstin" | "gstinState";

const cut = (text: string, max: number) => [...text.trim()].slice(0, max).join("");

/** Reads a buyer from a form; null when every field is empty. */
export function readBuyer(
  form: Readonly<Record<string, string>>,
): { ok: true; buyer: Buyer | null } | { ok: false; fault: BuyerFault } {
  const field = (name: string) => (form[name] ?? "").slice(0, LENGTH_MAX.field).toWellFormed();
  const name = cut(oneLine(field("buyer_name")), LENGTH_MAX.buyerName);
  const lines = field("buyer_address").replaceAll(/\r\n?|[\u2028\u2029]/gu, "\n");
  const address = cut(lines.split("\n").map(oneLine).filter(Boolean).join("\n"), LENGTH_MAX.buyerAddress);
  const state = field("buyer_state");
  const gstin = asciiDigits(field("buyer_gstin")).replaceAll(/\s/gu, "").toUpperCase();
  const refuse = (fault: BuyerFault) => ({ ok: false, fault }) as const;
  if ([name, address, state, gstin].every((text) => text === "")) return { ok: true, buyer: null };
  if (name === "") return refuse("name");
  if (!isGstState(state)) return refuse("state");
  if (gstin !== "" && !isGstin(gstin)) return refuse("gstin");
  if (gstin !== "" && gstin.slice(0, 2) !== state) return refuse("gstinState");
  // The invoice of a registered buyer must contain the address (Rule 46 (d)); for others it is optional.
  if (gstin !== "" && address === "") return refuse("address");
  return { ok: true, buyer: { name, address, state, gstin } };
}
