import * as z from "zod";
import { UNITS_PER_COIN } from "./money.ts";

/** The plans of contract §6: requests per minute, price, credit, and what one OTP costs. */
export const PLANS = {
  starter: { requestsPerMinute: 10, priceRupees: 499, creditCoins: 500, otpUnits: 0.25 * UNITS_PER_COIN },
  business: { requestsPerMinute: 60, priceRupees: 1_999, creditCoins: 2_100, otpUnits: 0.2 * UNITS_PER_COIN },
  premium: { requestsPerMinute: 200, priceRupees: 9_999, creditCoins: 11_000, otpUnits: 0.15 * UNITS_PER_COIN },
} as const;

export type Plan = keyof typeof PLANS;

export const planName = z.enum(["starter", "business", "premium"], "plan must be starter, business or premium.");
