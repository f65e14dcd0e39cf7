import type { Asked, Carrier, Outgoing } from "./carrier.ts";

// The simulator (contract §11): accepts every message, sends none, and reports each as delivered a moment later. It is
// stateless: the outcome follows from the number. With test keys, numbers in 70000000NN choose the outcome.

const STEERED = /^\+9170000000(\d\d)$/u;

function scenario(asked: Asked): string | null {
  return asked.mode === "test" ? (STEERED.exec(asked.to)?.[1] ?? null) : null;
}

/** The built-in default carrier. */
export const simCarrier: Carrier = {
  name: "sim",

  async submit(message: Outgoing) {
    switch (scenario(message)) {
      case "01":
        return { kind: "rejected", code: "rejected_by_carrier" };
      case "04":
        return message.attempt <= 2 ? { kind: "not_accepted", code: "busy" } : { kind: "submitted" };
      case "05":
        return { kind: "unknown", code: "timeout" };
      default:
        return { kind: "submitted" };
    }
  },

  async lookup(asked: Asked) {
    switch (scenario(asked)) {
      case "02":
        return { state: "undelivered", code: "absent_subscriber" };
      case "03":
      case "05":
        return null;
      default:
        return { state: "delivered" };
    }
  },
};
