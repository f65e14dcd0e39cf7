import { keysOfAccount } from "../accounts/keys.ts";
import type { OwnKey } from "../accounts/keys.ts";
import type { Config } from "../config.ts";
import { accountRows } from "../db/desk.ts";
import type { ListedAccount } from "../db/desk.ts";
import { personBy } from "../db/people.ts";
import type { PersonRow } from "../db/people.ts";
import type { AccountView, Amendment, LedgerView } from "../model/account.ts";
import type { MessageView } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { unitsFromCoins } from "../money/money.ts";
import { bothOf, objectOf } from "../objects.ts";

// Accounts, as the operator's page shows and changes them. The objects hold the truth; D1 only lists the accounts.

/** How many sequence numbers to go back for the newest entries: jobs have some of them, and a bulk takes many. */
const LEDGER_LOOK_BACK = 200;
const LEDGER_SHOWN = 15;

/** How many jobs to go back for the newest messages; each has up to 100. */
const JOBS_LOOK_BACK = 20;
const MESSAGES_SHOWN = 15;
const MESSAGES_PER_JOB_MAX = 100;

/** A page of accounts whose name or id matches `search`; `next` is the `after` of the next page. */
export async function findAccounts(
  env: Env,
  asked: { search: string; after: string; limit: number },
): Promise<{ rows: ListedAccount[]; next: string | null }> {
  const rows = await accountRows(env.DB, { ...asked, limit: asked.limit + 1 });
  const shown = rows.slice(0, asked.limit);
  return { rows: shown, next: rows.length > asked.limit ? (shown.at(-1)?.accountId ?? null) : null };
}

export interface AccountAtDesk {
  ref: AccountRef;
  view: AccountView;
  /** Newest first. */
  ledger: LedgerView[];
  messages: MessageView[];
  keys: OwnKey[];
  person: PersonRow | null;
}

/** One object of an account with its newest entries, or null when it does not exist. */
export async function accountAtDesk(env: Env, config: Config, ref: AccountRef): Promise<AccountAtDesk | null> {
  const stub = objectOf(env, ref);
  const view: AccountView | null = await stub.view();
  if (!view) return null;
  const before = { seq: Math.max(0, view.seq - JOBS_LOOK_BACK), index: MESSAGES_PER_JOB_MAX };
  const [ledger, messages, ring, person] = await Promise.all([
    stub.ledger(Math.max(0, view.seq - LEDGER_LOOK_BACK), LEDGER_LOOK_BACK) as Promise<LedgerView[] | null>,
    stub.messages(before, JOBS_LOOK_BACK * MESSAGES_PER_JOB_MAX) as Promise<MessageView[] | null>,
    keysOfAccount(env, config.KEY_SECRET, ref, Date.now()),
    personBy(env.DB, { accountId: ref.accountId }),
  ]);
  return {
    ref,
    view,
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

/** Typed coins as units; null when the text is not an amount. */
export function typedCoins(text: string): number | null {
  const trimmed = text.trim();
  return /^-?\d{1,10}(\.\d{1,4})?$/u.test(trimmed) ? unitsFromCoins(Number(trimmed)) : null;
}
