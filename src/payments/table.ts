import { paymentsOf } from "../config.ts";
import type { Config } from "../config.ts";
import type { PaymentProvider } from "./provider.ts";
import { razorpayProvider } from "./razorpay.ts";
import { sandboxProvider } from "./sandbox.ts";

/** Every provider, by the name that PAYMENTS and an order's row give it; null where it is not configured. */
const PROVIDERS: Record<"sandbox" | "razorpay", (config: Config) => PaymentProvider | null> = {
  sandbox: (config) => (paymentsOf(config) === "sandbox" ? sandboxProvider(config) : null),
  razorpay: razorpayProvider,
};

/** Who takes the money of new orders; null where plans are not sold here. */
export function paymentProvider(config: Config): PaymentProvider | null {
  const name = paymentsOf(config);
  return name === "none" ? null : PROVIDERS[name](config);
}

/** A provider by its name, also after PAYMENTS changed: its orders go on. Null where there is none such. */
export function providerNamed(config: Config, name: string): PaymentProvider | null {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name as keyof typeof PROVIDERS](config) : null;
}
