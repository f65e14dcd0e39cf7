import { findAll, on } from "./dom.ts";

/** The print button of an invoice; without the script it is hidden, and the browser's own menu prints. */
export function startBilling(): void {
  for (const button of findAll("[data-print]")) button.hidden = false;
  on("click", "[data-print]", () => print());
}
