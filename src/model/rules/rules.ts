// The rules that keep an account's number from being used for what it is not: where it may send, which numbers it does not
// reach, how much a day may cost, and how often one number gets a code. This file has what all parts of the service share.

/** Where a message would go: the calling code, and the country's two letters if it has one. */
export interface Destination {
  callingCode: string;
  country: string | null;
}

/** What the operator set for one account, and the cap that its owner set below the operator's. */
export interface AccountRules {
  /** Where it may send: ISO 3166 codes, or `+` and a calling code; null: wherever the rate card has a price. */
  countries: string[] | null;
  /** Prefixes that it reaches although the deployment refuses them. */
  allowPrefixes: string[];
  /** Prefixes that it does not reach, beside those of the deployment. */
  refusePrefixes: string[];
  /** What a day may cost, in units; null: whatever the balance pays. */
  dayCap: number | null;
  /** The same, as the account's owner set it; the lower one counts. */
  ownDayCap: number | null;
  /** Codes that one number gets in an hour before the gaps between them grow; 0: any number; null: the deployment's. */
  otpPerNumber: number | null;
  /** Numbers of one prefix that get their first code in an hour before the gaps grow; 0 and null as above. */
  otpPerPrefix: number | null;
}

/** The rules of an account for which none were set. */
export const NO_RULES: AccountRules = {
  countries: null,
  allowPrefixes: [],
  refusePrefixes: [],
  dayCap: null,
  ownDayCap: null,
  otpPerNumber: null,
  otpPerPrefix: null,
};

/** Countries and prefixes that one list may have. */
export const RULE_ENTRIES_MAX = 300;

/** A country of a list: two capital letters (ISO 3166), or `+` and a calling code. */
export const COUNTRY = /^(?:[A-Z]{2}|\+[1-9][0-9]{0,2})$/u;

/** The beginning of a number in E.164. */
export const PREFIX = /^\+[1-9][0-9]{0,14}$/u;

/** The most codes in an hour that a limit may name. */
export const OTP_LIMIT_MAX = 100_000;

/** The limits on one-time passwords that apply where an account has none of its own; 0: none. */
export interface OtpDefaults {
  perNumber: number;
  perPrefix: number;
}

/** An account's rules with where its day stands. */
export interface RulesView {
  rules: AccountRules;
  /** What applies to one-time passwords now. */
  otp: OtpDefaults;
  /** What today's debits cost, less their refunds, in units. */
  spentToday: number;
  /** When the next day begins (midnight in India), in ms since the epoch. */
  resetsAt: number;
}

/** What the Worker knows of a request's numbers, by which the account applies its rules. */
export interface Screen {
  /** The field with the number, or with the list of them, as its caller named it. */
  param: string;
  /** Where they are, each country once. */
  countries: Destination[];
  /** The deployment's refused prefixes that one of them has. */
  prefixes: string[];
  /** Whether it is a number at its caller's premium (libphonenumber), which the deployment refuses. */
  premium: boolean;
  /** Where a call goes to which the rate card gives no price; absent where it does. */
  unpriced?: Destination;
}

/** The cap that applies to a day, and who set it; null: none. */
export function capOf({ dayCap, ownDayCap }: AccountRules): { cap: number; own: boolean } | null {
  if (ownDayCap !== null && (dayCap === null || ownDayCap < dayCap)) return { cap: ownDayCap, own: true };
  return dayCap === null ? null : { cap: dayCap, own: false };
}
