import type { FC, PropsWithChildren } from "hono/jsx";
import { PRODUCT } from "../config.ts";
import type { ListedAccount } from "../db/desk.ts";
import { PLANS } from "../money/plans.ts";
import { Icon, Mark } from "./icons.tsx";
import { Preferences } from "./layout.tsx";
import { Card, Choice, CopyButton, Empty, Field, Notice, Older, OnceField, PageHead, Time, faultAt } from "./parts.tsx";
import type { FormFault } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { deskWords } from "./words/desk.ts";
import { shell } from "./words/shell.ts";

// The frame of the operator's pages, their sign-in, and the list of accounts.

/** The operator's pages, in their order. */
export const DESK_TABS = {
  accounts: "/desk",
  card: "/desk/rate-card",
  payments: "/desk/payments",
  queues: "/desk/queues",
  reconcile: "/desk/reconcile",
} as const;

export type DeskTab = keyof typeof DESK_TABS;

/** Head and tabs of every page of the operator. */
export const DeskFrame: FC<PropsWithChildren<{ tab: DeskTab }>> = ({ tab, children }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  const tabs = Object.entries(DESK_TABS) as [DeskTab, string][];
  return (
    <>
      <div class="deskhead">
        <a class="brand" href={at("/desk")}>
          <Mark />
          <b>{PRODUCT}</b>
          <span class="dim">{t.desk}</span>
        </a>
        <div class="deskfoot">
          <Preferences />
          <form method="post" action={at("/desk/sign-out")}>
            <button class="ghost">
              <Icon name="out" />
              {useWords(shell).signOut}
            </button>
          </form>
        </div>
      </div>
      <nav class="desktabs" aria-label={t.desk}>
        {tabs.map(([id, path]) => (
          <a href={at(path)} {...(id === tab && { "aria-current": "page" })}>
            {t.tabs[id]}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
};

/** The sign-in, which asks for the operator's token. */
export const DeskDoor: FC<{ next: string; fault: FormFault | undefined }> = ({ next, fault }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <div class="deskhead">
        <span class="brand">
          <Mark />
          <b>{PRODUCT}</b>
        </span>
        <Preferences />
      </div>
      <section class="card stack deskdoor">
        <h1>{t.signInTitle}</h1>
        <p class="dim">{t.signInLead}</p>
        <form class="stack" method="post" action={at("/desk/sign-in")}>
          <input type="hidden" name="next" value={next} />
          {/* For password managers, which store no password without a user name. */}
          <input hidden name="holder" value="operator" autocomplete="username" readonly />
          <Field
            label={t.token}
            name="token"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            error={faultAt(fault, "token")}
          />
          <div>
            <button class="btn">{t.signIn}</button>
          </div>
        </form>
      </section>
    </>
  );
};

/** A wide table, which scrolls by itself on a phone. */
export const Wide: FC<PropsWithChildren<{ label: string; heads: readonly (string | { num: string })[] }>> = ({
  label,
  heads,
  children,
}) => (
  <div class="scroll" tabindex={0} role="region" aria-label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head) =>
            typeof head === "string" ? (
              <th scope="col">{head}</th>
            ) : (
              <th scope="col" class="num">
                {head.num}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** The status of an account, as a word and a colour. */
export const StatusPill: FC<{ status: string }> = ({ status }) => {
  const t = useWords(shell);
  const suspended = status === "suspended";
  return <span class={`pill ${suspended ? "bad" : "ok"}`}>{t.status[suspended ? "suspended" : "active"]}</span>;
};

/** A select field for the plan. */
export const PlanChoice: FC<{ value: string }> = ({ value }) => {
  const t = useWords(shell);
  const options = (Object.keys(PLANS) as (keyof typeof PLANS)[]).map((plan) => ({ value: plan, label: t.plans[plan] }));
  return <Choice label={useWords(deskWords).plan} name="plan" value={value} options={options} />;
};

const NewAccount: FC<{ typed: Record<string, string>; fault: FormFault | undefined }> = ({ typed, fault }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <details class="card desknew" {...(fault && { open: true })}>
      <summary>
        <h2>{t.newAccount}</h2>
      </summary>
      <form class="stack" method="post" action={at("/desk/accounts")}>
        {fault && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
        <OnceField />
        <div class="two">
          <Field
            label={t.name}
            name="name"
            required
            maxlength={100}
            autocomplete="off"
            value={typed["name"]}
            error={faultAt(fault, "name")}
          />
          <PlanChoice value={typed["plan"] ?? "starter"} />
          <Field
            label={t.openingBalance}
            name="balance"
            inputmode="decimal"
            hint={t.openingHint}
            value={typed["balance"]}
            error={faultAt(fault, "balance")}
          />
          <Field
            label={t.rateField}
            name="otpRate"
            inputmode="decimal"
            hint={t.rateHint}
            value={typed["otpRate"]}
            error={faultAt(fault, "otpRate")}
          />
        </div>
        <div>
          <button class="btn">{t.open}</button>
        </div>
      </form>
    </details>
  );
};

interface AccountsProps {
  rows: ListedAccount[];
  search: string;
  next: string | null;
  /** What was typed to open an account, and what is wrong with it. */
  typed?: Record<string, string> | undefined;
  fault?: FormFault | undefined;
}

/** The list of accounts, and a form that opens another. */
export const DeskAccounts: FC<AccountsProps> = ({ rows, search, next, typed = {}, fault }) => {
  const t = useWords(deskWords);
  const s = useWords(shell);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.accounts} />
      <NewAccount typed={typed} fault={fault} />
      <Card>
        <form class="desksearch" role="search" action={at("/desk")}>
          <label class="sr" for="f-q">
            {t.searchLabel}
          </label>
          <input id="f-q" type="search" name="q" value={search} placeholder={t.searchLabel} maxlength={100} />
          <button class="btn quiet">{t.search}</button>
        </form>
        {rows.length === 0 ? (
          <Empty icon="person" title={t.noAccounts}>
            <p>{t.noAccountsHint}</p>
          </Empty>
        ) : (
          <Wide label={t.tabs.accounts} heads={[t.name, t.account, t.plan, t.status, t.opened]}>
            {rows.map((row) => (
              <tr>
                <td class="deskname">
                  <a href={at(`/desk/accounts/${row.accountId}`)}>{row.name}</a>
                </td>
                <td>
                  <code>{row.accountId}</code>
                </td>
                <td>{s.plans[row.plan]}</td>
                <td>
                  <StatusPill status={row.status} />
                </td>
                <td>
                  <Time at={row.createdAt} style="date" />
                </td>
              </tr>
            ))}
          </Wide>
        )}
        {next !== null && (
          <Older href={at(`/desk?q=${encodeURIComponent(search)}&after=${encodeURIComponent(next)}`)} />
        )}
      </Card>
    </>
  );
};

const Handed: FC<{ label: string; id: string; apiKey: string }> = ({ label, id, apiKey }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <div class="keycopy">
      <input id={id} class="mono" readonly value={apiKey} autocomplete="off" spellcheck={false} />
      <CopyButton text={apiKey} label={label} />
    </div>
  </div>
);

/** A new account with its first keys, which the operator passes on to its owner. */
export const DeskOpened: FC<{ accountId: string; name: string; liveKey: string; testKey: string }> = (opened) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{t.openedTitle}</h1>
      <dl class="facts">
        <dt>{t.name}</dt>
        <dd>{opened.name}</dd>
        <dt>{t.account}</dt>
        <dd>
          <code>{opened.accountId}</code>
        </dd>
      </dl>
      <p>{t.openedLead}</p>
      <Handed label={t.liveKey} id="f-live" apiKey={opened.liveKey} />
      <Handed label={t.testKey} id="f-test" apiKey={opened.testKey} />
      <p>
        <a class="btn" href={at(`/desk/accounts/${opened.accountId}`)}>
          {t.toAccount}
        </a>
      </p>
    </section>
  );
};

/** The notice above a page that says what was done. */
export const DeskDone: FC<{ done: string | undefined }> = ({ done }) =>
  done === undefined ? null : <Notice tone="ok">{done}</Notice>;
