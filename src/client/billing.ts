import { findAll, on } from "./dom.ts";

/** An invoice prints by a button as well; without the script the browser's own menu does it. */
export function startBilling(): void {
  for (const button of findAll("[data-print]")) button.hidden = false;
  on("click", "[data-print]", () => print());
}
