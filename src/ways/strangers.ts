import type { ErrorCode } from "../http/errors.ts";

/**
 * What is said of a failure that tells of the account itself, where other software may show the whole reply to the person
 * who waits for the SMS, a stranger to the account: neither its balance nor its end is for them. Null for all others. What
 * was refused is kept whole, for the account's own pages.
 */
export function toldStrangers(code: ErrorCode): string | null {
  switch (code) {
    case "insufficient_balance":
      return "The balance does not reach; Requests in the dashboard says more.";
    case "spend_cap_reached":
      return "Today's limit is reached; Requests in the dashboard says more.";
    case "account_suspended":
      return "This account cannot send; Requests in the dashboard says more.";
    default:
      return null;
  }
}
