import type { FC } from "hono/jsx";
import type { AccountInList } from "../../operator/accounts.ts";
import { cutEmail, cutPhone } from "../format.ts";
import { Card, CopyButton, Empty, Field, Money, Notice, Older, OnceField, PageHead, Time, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess, deskWords } from "./words.ts";
import { shell } from "../words/shell.ts";
import { PlanChoice, StatusPill, Wide, useMay } from "./frame.tsx";

// The operator's list of accounts, the form that opens another, and the new account's first keys.

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
  rows: AccountInList[];
  search: string;
  next: string | null;
  /** What was typed to open an account, and what is wrong with it. */
  typed?: Record<string, string> | undefined;
  fault?: FormFault | undefined;
}

const Row: FC<{ of: AccountInList }> = ({ of }) => {
  const s = useWords(shell);
  const a = useWords(deskAccess);
  const { at } = useView();
  const { accountId, name, phone, email, plan, status, createdAt, now } = of;
  return (
    <tr>
      <td class="deskname">
        <a href={at(`/desk/accounts/${accountId}`)}>{name}</a>
        <br />
        <code class="dim small">{accountId}</code>
      </td>
      <td class="deskcontact">{phone === null ? (email === null ? "–" : cutEmail(email)) : cutPhone(phone)}</td>
      <td>{s.plans[plan]}</td>
      <td class="num">{now ? <Money units={now.balance} /> : "–"}</td>
      <td>
        <StatusPill status={status} />
      </td>
      <td>
        <Time at={createdAt} style="full" />
      </td>
      <td>
        {!now && "–"}
        {now?.lastMessageAt === null && <span class="dim">{a.noMessage}</span>}
        {now?.lastMessageAt && <Time at={now.lastMessageAt} style="full" />}
      </td>
    </tr>
  );
};

/** The list of accounts, and a form that opens another. */
export const DeskAccounts: FC<AccountsProps> = ({ rows, search, next, typed = {}, fault }) => {
  const t = useWords(deskWords);
  const a = useWords(deskAccess);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.accounts} />
      {useMay("openAccounts") && <NewAccount typed={typed} fault={fault} />}
      <Card>
        <form class="desksearch" role="search" action={at("/desk")}>
          <label class="sr" for="f-q">
            {a.searchLabel}
          </label>
          <input id="f-q" type="search" name="q" value={search} placeholder={a.searchLabel} maxlength={100} />
          <button class="btn quiet">{t.search}</button>
        </form>
        {rows.length === 0 ? (
          <Empty icon="person" title={t.noAccounts}>
            <p>{t.noAccountsHint}</p>
          </Empty>
        ) : (
          <Wide
            label={t.tabs.accounts}
            heads={[t.name, a.contact, t.plan, { num: a.balance }, t.status, t.opened, a.lastMessage]}
          >
            {rows.map((row) => (
              <Row of={row} />
            ))}
          </Wide>
        )}
        {next !== null && (
          <Older href={at(`/desk?q=${encodeURIComponent(search)}&before=${encodeURIComponent(next)}`)} />
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
