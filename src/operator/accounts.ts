import { keysOfAccount } from "../accounts/keys.ts";
import type { OwnKey } from "../accounts/keys.ts";
import type { Config } from "../config/settings.ts";
import { accountRows } from "../db/desk.ts";
import type { AccountPlace, AccountSearch, ListedAccount } from "../db/desk.ts";
import { personBy } from "../db/people.ts";
import type { PersonRow } from "../db/people.ts";
import { logProblem } from "../log.ts";
import type { AccountView, Amendment, LedgerView } from "../model/account.ts";
import type { ActDetails, ReportedAct } from "../model/audit.ts";
import type { MessageView } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import type { RulesView } from "../model/rules/rules.ts";
import { coins, unitsFromCoins } from "../money/money.ts";
import type { Plan } from "../money/plans.ts";
import { bothOf, objectOf } from "../objects.ts";

// Accounts, as the operator's page shows and changes them. The objects hold the truth; D1 only lists the accounts.

/** How many sequence numbers to go back for the newest entries: jobs have some of them, and a bulk takes many. */
const LEDGER_LOOK_BACK = 200;
const LEDGER_SHOWN = 15;

/** How many jobs to go back for the newest messages; each has up to 100. */
const JOBS_LOOK_BACK = 20;
const MESSAGES_SHOWN = 15;
const MESSAGES_PER_JOB_MAX = 100;

/** The fewest digits that are looked for in phones: fewer are in most of them. */
const PHONE_DIGITS_MIN = 4;

/** An account of the list with its present balance, in units, and its last message; null when its object did not answer. */
export type AccountInList = ListedAccount & { now: { balance: number; lastMessageAt: number | null } | null };

/** What to look for by a typed text: a phone is found as people write it, +91 98765 43210 or 098765-43210. */
function searchOf(typed: string): AccountSearch {
  const isPhone = /^[+\d\s()-]+$/u.test(typed);
  const digits = isPhone ? typed.replaceAll(/\D/gu, "").replace(/^0+/u, "") : "";
  return { text: typed, digits: digits.length >= PHONE_DIGITS_MIN ? digits : "" };
}

function placeOf(text: string): AccountPlace | null {
  const [, createdAt = "", accountId = ""] = /^([0-9]{1,15})\.(acc_\w{1,20})$/u.exec(text) ?? [];
  return accountId === "" ? null : { createdAt: Number(createdAt), accountId };
}

/** What changes with each message comes from the account itself: `limit` bounds the calls, which run side by side. */
async function asItIsNow(env: Env, row: ListedAccount): Promise<AccountInList> {
  try {
    const view: AccountView | null = await objectOf(env, { accountId: row.accountId, mode: "live" }).view();
    return { ...row, now: view && { balance: view.balance, lastMessageAt: view.lastMessageAt } };
  } catch (problem) {
    logProblem("balance of an account", problem);
    return { ...row, now: null };
  }
}

/**
 * A page of accounts, newest first, whose name, id, phone or e-mail matches `search`; `next` is the `before` of the next
 * page.
 */
export async function findAccounts(
  env: Env,
  asked: { search: string; before: string; limit: number },
): Promise<{ rows: AccountInList[]; next: string | null }> {
  const { search, before, limit } = asked;
  const rows = await accountRows(env.DB, { search: searchOf(search), before: placeOf(before), limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last ? `${last.createdAt}.${last.accountId}` : null;
  return { rows: await Promise.all(shown.map((row) => asItIsNow(env, row))), next };
}

export interface AccountAtDesk {
  ref: AccountRef;
  view: AccountView;
  /** Newest first. */
  ledger: LedgerView[];
  messages: MessageView[];
  keys: OwnKey[];
  person: PersonRow | null;
  /** Where it may send, and how much. */
  rules: RulesView;
}

/** One object of an account with its newest entries, or null when it does not exist. */
export async function accountAtDesk(env: Env, config: Config, ref: AccountRef): Promise<AccountAtDesk | null> {
  const stub = objectOf(env, ref);
  const view: AccountView | null = await stub.view();
  if (!view) return null;
  const before = { seq: Math.max(0, view.seq - JOBS_LOOK_BACK), index: MESSAGES_PER_JOB_MAX };
  const [rules, ledger, messages, ring, person] = await Promise.all([
    stub.rules() as Promise<RulesView | null>,
    stub.ledger(Math.max(0, view.seq - LEDGER_LOOK_BACK), LEDGER_LOOK_BACK) as Promise<LedgerView[] | null>,
    stub.messages(before, JOBS_LOOK_BACK * MESSAGES_PER_JOB_MAX) as Promise<MessageView[] | null>,
    keysOfAccount(env, config.KEY_SECRET, ref, Date.now()),
    personBy(env.DB, { accountId: ref.accountId }),
  ]);
  if (!rules) return null;
  return {
    ref,
    view,
    rules,
    ledger: (ledger ?? []).slice(-LEDGER_SHOWN).toReversed(),
    messages: (messages ?? []).slice(-MESSAGES_SHOWN).toReversed(),
    keys: ring.keys,
    person,
  };
}

/** Changes status, plan or OTP rate in both objects. Returns the live one; null when the account does not exist. */
export async function amendAccount(env: Env, accountId: string, change: Amendment): Promise<AccountView | null> {
  const { live, test } = bothOf(env, accountId);
  const [view] = await Promise.all([live.amend(change), test.amend(change)]);
  return view;
}

/** What the audit trail records of a change: an act for each changed field. */
export function amendmentActs(accountId: string, { status, plan, otpRate }: Amendment): ReportedAct[] {
  const acts: ReportedAct[] = [];
  if (status === "active") acts.push({ action: "account.activated", accountId });
  if (status === "suspended") acts.push({ action: "account.suspended", accountId });
  if (plan !== undefined) acts.push({ action: "account.plan", accountId, details: { plan } });
  if (otpRate !== undefined) {
    acts.push({ action: "account.rate", accountId, details: { rate: otpRate === null ? null : coins(otpRate) } });
  }
  return acts;
}

/** What the audit trail records of a credit or an adjustment: once for each entry of the ledger. */
export function creditAct(
  { accountId, mode }: AccountRef,
  { reference, note }: { reference: string; note?: string },
  entry: LedgerView,
): ReportedAct {
  return {
    action: entry.amount < 0 ? "money.adjusted" : "money.credited",
    accountId,
    subject: reference,
    details: { amount: coins(entry.amount), mode, ...(note !== undefined && { note }) },
    once: `${mode} ${entry.seq}`,
  };
}

/** The terms of a new account, in units; a field that is missing is the default. */
interface OpeningTerms {
  plan?: Plan | undefined;
  balance?: number | undefined;
  otpRate?: number | null | undefined;
}

/** What the audit trail records of the terms of a new account. */
export function openingDetails({ plan, balance, otpRate }: OpeningTerms): ActDetails {
  return {
    ...(plan !== undefined && { plan }),
    ...(balance !== undefined && { balance: coins(balance) }),
    ...(otpRate !== undefined && otpRate !== null && { rate: coins(otpRate) }),
  };
}

/** Typed coins as units; null when the text is not an amount. */
export function typedCoins(text: string): number | null {
  const trimmed = text.trim();
  return /^-?\d{1,10}(\.\d{1,4})?$/u.test(trimmed) ? unitsFromCoins(Number(trimmed)) : null;
}
