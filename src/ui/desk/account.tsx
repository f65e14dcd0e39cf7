import type { FC, PropsWithChildren } from "hono/jsx";
import type { AccountAtDesk } from "../../operator/accounts.ts";
import { count, cutEmail, cutPhone, phoneText } from "../format.ts";
import { Card, Kind, Money, StateBadge, Time } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess, deskWords } from "./words.ts";
import { leavingWords } from "../words/leaving.ts";
import { shell } from "../words/shell.ts";
import { CreditForm, StandingForms } from "./account-forms.tsx";
import { RulesCard } from "./rules.tsx";
import { DeskDone, StatusPill, Wide, useMay } from "./frame.tsx";

// One account on the operator's page: its facts and its newest entries.

/** The button that shows numbers in full, for roles that may see them. */
const Reveal: FC<{ of: AccountAtDesk }> = ({ of: { ref } }) => {
  const t = useWords(leavingWords);
  const { at } = useView();
  if (!useMay("reveal")) return null;
  return (
    <form method="post" action={at(`/desk/accounts/${ref.accountId}/reveal`)}>
      <input type="hidden" name="mode" value={ref.mode} />
      <button class="ghost">{t.reveal}</button>
    </form>
  );
};

const Facts: FC<{ of: AccountAtDesk; whole: boolean }> = ({ of, whole }) => {
  const { view, ref, person } = of;
  const t = useWords(deskWords);
  const s = useWords(shell);
  const a = useWords(deskAccess);
  const { lang } = useView();
  const phone = person?.phone && (whole ? phoneText(person.phone) : cutPhone(person.phone));
  const email = person?.email && (whole ? person.email : cutEmail(person.email));
  const signsIn = [person?.name, phone, email].filter(Boolean);
  return (
    <Card>
      <dl class="facts">
        <dt>{t.account}</dt>
        <dd>
          <code>{ref.accountId}</code>
        </dd>
        <dt>{t.balance}</dt>
        <dd>
          <b>
            <Money units={view.balance} />
          </b>
        </dd>
        {view.owed !== 0 && (
          <>
            <dt>{a.owed}</dt>
            <dd>
              <Money units={view.owed} />
              <p class="hint">{a.owedHint}</p>
            </dd>
          </>
        )}
        <dt>{t.plan}</dt>
        <dd>{s.plans[view.plan]}</dd>
        <dt>{t.otpRate}</dt>
        <dd>
          <Money units={view.otpRate} /> ({view.ownOtpRate === null ? t.planRate : t.ownRate})
        </dd>
        <dt>{t.limit}</dt>
        <dd>{count(view.requestsPerMinute, lang)}</dd>
        <dt>{t.opened}</dt>
        <dd>
          <Time at={view.createdAt} />
        </dd>
        <dt>{t.person}</dt>
        <dd>
          {person ? (
            <ul>
              {signsIn.map((line) => (
                <li>{line}</li>
              ))}
            </ul>
          ) : (
            t.nobody
          )}
          {!whole && <Reveal of={of} />}
        </dd>
      </dl>
    </Card>
  );
};

const Ledger: FC<{ of: AccountAtDesk }> = ({ of: { ledger } }) => {
  const t = useWords(deskWords);
  return (
    <Card title={t.ledger}>
      {ledger.length === 0 ? (
        <p class="dim">{t.nothing}</p>
      ) : (
        <Wide label={t.ledger} heads={[t.time, t.kind, t.reference, { num: t.sum }, { num: t.after }]}>
          {ledger.map((entry) => (
            <tr>
              <td>
                <Time at={entry.at} />
              </td>
              <td>{entry.type === "checkpoint" ? t.archived : t.entryTypes[entry.type]}</td>
              <td class="deskname">{entry.reference ?? entry.requestId ?? ""}</td>
              <td class="num">
                <Money units={entry.amount} />
              </td>
              <td class="num">
                <Money units={entry.balanceAfter} />
              </td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};

const Messages: FC<{ of: AccountAtDesk; whole: boolean }> = ({ of: { messages }, whole }) => {
  const t = useWords(deskWords);
  return (
    <Card title={t.messages}>
      {messages.length === 0 ? (
        <p class="dim">{t.nothing}</p>
      ) : (
        <Wide label={t.messages} heads={[t.time, t.kind, t.to, t.state, { num: t.price }]}>
          {messages.map((message) => (
            <tr>
              <td>
                <Time at={message.createdAt} />
              </td>
              <td>
                <Kind operation={message.operation} />
              </td>
              <td class="num deskto">{whole ? phoneText(message.to) : cutPhone(message.to)}</td>
              <td>
                <StateBadge state={message.state} />
              </td>
              <td class="num">
                <Money units={message.charge} />
              </td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};

const KEY_TONE = { active: "ok", ending: "warn", ended: "", revoked: "bad", void: "bad" } as const;

const Keys: FC<{ of: AccountAtDesk }> = ({ of: { keys } }) => {
  const t = useWords(deskWords);
  return (
    <Card title={t.keys}>
      {keys.length === 0 ? (
        <p class="dim">{t.nothing}</p>
      ) : (
        <Wide label={t.keys} heads={[t.name, "ID", t.state, t.lastUsed]}>
          {keys.map((key) => (
            <tr>
              <td class="deskname">{key.name}</td>
              <td>
                <code>{key.id}</code>
              </td>
              <td>
                <span class={`pill ${KEY_TONE[key.state]}`}>{t.keyStates[key.state]}</span>
              </td>
              <td>{key.lastUsedAt === null ? t.never : <Time at={key.lastUsedAt} style="date" />}</td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};

/** The page of one account, in one of its modes. */
export const DeskAccount: FC<
  PropsWithChildren<{
    of: AccountAtDesk;
    done: string | undefined;
    fault: FormFault | undefined;
    typed: Record<string, string> | undefined;
    /** Whether numbers and the e-mail are shown in full. */
    whole: boolean;
  }>
> = ({ of, done, fault, typed = {}, whole, children }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  const { accountId, mode } = of.ref;
  const page = at(`/desk/accounts/${accountId}`);
  return (
    <>
      <div class="pagehead">
        <div class="desktitle">
          <h1>{of.view.name}</h1>
          <StatusPill status={of.view.status} />
        </div>
        <div class="actions">
          <nav class="modes" aria-label={t.account}>
            <a class="ghost" href={page} {...(mode === "live" && { "aria-current": "page" })}>
              {t.live}
            </a>
            <a class="ghost" href={`${page}?mode=test`} {...(mode === "test" && { "aria-current": "page" })}>
              {t.test}
            </a>
          </nav>
          <a class="btn quiet" href={at(`/desk/reconcile?run=1&account=${accountId}`)}>
            {t.recount}
          </a>
          <a class="btn quiet" href={at(`/desk/audit?account=${accountId}`)}>
            {useWords(deskAccess).trailOf}
          </a>
          {useMay("leaving") && (
            <a class="btn quiet" href={`${page}/leave`}>
              {useWords(leavingWords).deskOpen}
            </a>
          )}
        </div>
      </div>
      <DeskDone done={done} />
      <div class="deskcols">
        <Facts of={of} whole={whole} />
        {useMay("standing") && <StandingForms of={of} typed={typed} fault={fault} />}
        {useMay("money") && <CreditForm of={of} typed={typed} fault={fault} />}
      </div>
      <RulesCard of={of} typed={typed} fault={fault} />
      {children}
      <Ledger of={of} />
      <Messages of={of} whole={whole} />
      <Keys of={of} />
    </>
  );
};
