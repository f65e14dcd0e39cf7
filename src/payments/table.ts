import { paymentsOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import type { PaymentProvider } from "./provider.ts";
import { razorpayProvider } from "./razorpay.ts";
import { sandboxProvider } from "./sandbox.ts";

/** Every provider, by the name that is used in PAYMENTS and in an order's row; null when it is not configured. */
const PROVIDERS: Record<"sandbox" | "razorpay", (config: Config) => PaymentProvider | null> = {
  sandbox: (config) => (paymentsOf(config) === "sandbox" ? sandboxProvider(config) : null),
  razorpay: razorpayProvider,
};

/** The provider for new orders; null when plans are not sold here. */
export function paymentProvider(config: Config): PaymentProvider | null {
  const name = paymentsOf(config);
  return name === "none" ? null : PROVIDERS[name](config);
}

/** A provider by its name, even after PAYMENTS changed, because its orders remain. Null when it does not exist. */
export function providerNamed(config: Config, name: string): PaymentProvider | null {
  return Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name as keyof typeof PROVIDERS](config) : null;
}
