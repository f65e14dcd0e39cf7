import { coins, wholeCoins } from "../money/money.ts";

// A reply is a template with its numbers left open. The same template is filled for the first request and, from
// sealed storage, for every replay, so that both replies have the same bytes (contract §8).

type Slot = "spent" | "balance" | "remaining" | "message_id";

interface Open {
  $slot: Slot;
}

/** A number or id that only the account knows. */
export const slot = (name: Slot): Open => ({ $slot: name });

type Value = string | number | boolean | Open | { [name: string]: Value };

export type ReplyTemplate = Record<string, Value>;

/** The values for the open places of a template. */
interface Outcome {
  /** Units. */
  spent: number;
  /** Units. */
  balance: number;
  messageId: () => string;
}

function isOpen(value: Value): value is Open {
  return typeof value === "object" && "$slot" in value;
}

function fillSlot(name: Slot, outcome: Outcome): string | number {
  switch (name) {
    case "spent":
      return coins(outcome.spent);
    case "balance":
      return coins(outcome.balance);
    case "remaining":
      return wholeCoins(outcome.balance);
    case "message_id":
      return outcome.messageId();
  }
}

/** The reply for an outcome. */
export function fillTemplate(template: ReplyTemplate, outcome: Outcome): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => {
      if (typeof value !== "object") return [name, value];
      return [name, isOpen(value) ? fillSlot(value.$slot, outcome) : fillTemplate(value, outcome)];
    }),
  );
}
