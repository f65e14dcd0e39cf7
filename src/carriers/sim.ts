import * as z from "zod";
import { testEnding } from "../model/test-numbers.ts";
import { OPERATION_NAMES } from "../model/operations.ts";
import type { TestEnding } from "../model/test-numbers.ts";
import type { Asked, Carrier, Outgoing } from "./carrier.ts";
import type { Kind } from "./kind.ts";

// The simulator (contract §11): accepts every message, sends none, and reports each as delivered a moment later. It is
// stateless: the outcome follows from the number (model/test-numbers.ts).

/** The ending that the number chooses; null with a live key, and for any other number. */
function endingOf(asked: Asked): TestEnding | null {
  return asked.mode === "test" ? testEnding(asked.to) : null;
}

/** The built-in default carrier. */
export const simCarrier: Carrier = {
  name: "sim",
  isPaced: false,
  resubmits: false,
  operations: new Set(OPERATION_NAMES),

  async submit(message: Outgoing) {
    switch (endingOf(message)) {
      case "rejected":
        return { kind: "rejected", code: "rejected_by_carrier" };
      case "busy_twice":
        return message.attempt <= 2 ? { kind: "not_accepted", code: "busy" } : { kind: "submitted" };
      case "timeout":
        return { kind: "unknown", code: "timeout" };
      default:
        return { kind: "submitted" };
    }
  },

  async lookup(asked: Asked) {
    switch (endingOf(asked)) {
      case "undelivered":
        return { state: "undelivered", code: "absent_subscriber" };
      case "no_receipt":
      case "timeout":
        return null;
      default:
        return { state: "delivered" };
    }
  },
};

const none = z.strictObject({});

/** The simulator as a kind: others beside the built-in one, to try routes out. */
export const sim: Kind<typeof none> = {
  settings: none,
  secrets: none,
  addresses: () => ({}),
  carrier: ({ name }) => ({ ...simCarrier, name }),
};
