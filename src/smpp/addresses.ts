import type { SmppSettings } from "./settings.ts";

/** An address as SMPP has it: type of number, numbering plan, and the address without a `+`. */
export interface Address {
  ton: number;
  npi: number;
  address: string;
}

const INTERNATIONAL = { ton: 1, npi: 1 };
const ALPHANUMERIC = { ton: 5, npi: 0 };
const NONE = { ton: 0, npi: 0 };

/** An address, of letters or digits; empty where there is none: the carrier then has one of its own. */
function addressOf(text: string, ton: number | null, npi: number | null): Address {
  const isNumber = /^\+?[0-9]+$/u.test(text);
  const usual = text === "" ? NONE : isNumber ? INTERNATIONAL : ALPHANUMERIC;
  return { ton: ton ?? usual.ton, npi: npi ?? usual.npi, address: isNumber ? text.replace("+", "") : text };
}

type Types = Pick<SmppSettings, "sender" | "source_ton" | "source_npi" | "dest_ton" | "dest_npi">;

/** The sender's address: the message's own, else the carrier's. */
export const sourceOf = (settings: Types, sender: string | undefined): Address =>
  addressOf(sender ?? settings.sender ?? "", settings.source_ton, settings.source_npi);

/** The receiver's address. */
export const destinationOf = (settings: Types, to: string): Address =>
  addressOf(to, settings.dest_ton, settings.dest_npi);
