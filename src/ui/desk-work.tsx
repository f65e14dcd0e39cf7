import type { FC } from "hono/jsx";
import type { FoundDifference } from "../accounts/reconcile.ts";
import type { Depth } from "../operator/queue-depths.ts";
import { CARD_PRICES } from "../operator/rate-card-form.ts";
import type { QuarantinedEvent } from "../payments/events.ts";
import type { DeadLetter } from "../queues/dead.ts";
import { DeskDone, Wide } from "./desk.tsx";
import { count, paise } from "./format.ts";
import { Card, Empty, Field, Notice, PageHead, Time, faultAt } from "./parts.tsx";
import type { FormFault } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { deskWords } from "./words/desk.ts";

// The operator's other pages: rate card, quarantined payments, queues, reconciliation.

/** The rate card as a form; `typed` holds its fields, as they are now or as they were submitted. */
export const DeskCard: FC<{ typed: Record<string, string>; done: string | undefined; fault?: FormFault }> = ({
  typed,
  done,
  fault,
}) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.card} lead={t.cardLead} />
      <DeskDone done={done} />
      <form class="card stack" method="post" action={at("/desk/rate-card")}>
        <h2>{t.cardPrices}</h2>
        <div class="two">
          {CARD_PRICES.map((name) => (
            <Field
              label={t.card[name]}
              name={name}
              inputmode="numeric"
              required
              value={typed[name]}
              error={faultAt(fault, name)}
            />
          ))}
        </div>
        <Field
          label={t.countries}
          name="countries"
          type="textarea"
          mono
          hint={t.countriesHint}
          value={typed["countries"]}
          error={faultAt(fault, "countries")}
        />
        <div>
          <button class="btn">{t.save}</button>
        </div>
      </form>
    </>
  );
};

/** Payment events that await the operator. */
export const DeskPayments: FC<{ events: QuarantinedEvent[]; done: string | undefined }> = ({ events, done }) => {
  const t = useWords(deskWords);
  const { at, lang } = useView();
  return (
    <>
      <PageHead title={t.tabs.payments} lead={t.paymentsLead} />
      <DeskDone done={done} />
      <Card>
        {events.length === 0 ? (
          <Empty icon="billing" title={t.noPayments}>
            <p>{t.noPaymentsHint}</p>
          </Empty>
        ) : (
          <Wide label={t.tabs.payments} heads={[t.time, t.order, { num: t.sum }, t.why, t.event, t.dealtWith]}>
            {events.map((event) => (
              <tr>
                <td>
                  <Time at={event.receivedAt} />
                </td>
                <td>{event.orderId === null ? "–" : <code>{event.orderId}</code>}</td>
                <td class="num">
                  {event.amountPaise === null
                    ? "–"
                    : event.currency === "INR"
                      ? paise(event.amountPaise, lang)
                      : `${count(event.amountPaise, lang)} ${event.currency ?? ""}`}
                </td>
                <td class="deskwhy">{event.quarantined}</td>
                <td class="deskwhy small">
                  {event.provider}: {event.kind}
                  <br />
                  <code>{event.eventId}</code>
                </td>
                <td>
                  <form method="post" action={at("/desk/payments")}>
                    <input type="hidden" name="provider" value={event.provider} />
                    <input type="hidden" name="event" value={event.eventId} />
                    <button class="btn quiet small">{t.dealtWith}</button>
                  </form>
                </td>
              </tr>
            ))}
          </Wide>
        )}
      </Card>
    </>
  );
};

const Depths: FC<{ depths: Depth[] }> = ({ depths }) => {
  const t = useWords(deskWords);
  const { lang } = useView();
  return (
    <div class="two">
      {depths.map(({ queue, waiting, oldestAt }) => (
        <Card title={t.queueNames[queue]}>
          <dl class="facts">
            <dt>{t.depth}</dt>
            <dd>{waiting === null ? t.noDepth : <b class="num">{count(waiting, lang)}</b>}</dd>
            {oldestAt !== null && (
              <>
                <dt>{t.oldest}</dt>
                <dd>
                  <Time at={oldestAt} />
                </dd>
              </>
            )}
          </dl>
        </Card>
      ))}
    </div>
  );
};

const LetterRow: FC<{ of: DeadLetter }> = ({ of: { id, at: diedAt, letter } }) => {
  const t = useWords(deskWords);
  const { at, lang } = useView();
  return (
    <tr>
      <td>
        <Time at={diedAt} />
      </td>
      <td>{letter ? t.queueNames[letter.queue] : "–"}</td>
      <td>{letter ? <code>{letter.job.account}</code> : t.noJob}</td>
      <td class="num">{letter ? count(letter.job.seqs.length, lang) : "–"}</td>
      <td>
        <form method="post" action={at("/desk/queues/dead-letters")} class="actions">
          <input type="hidden" name="id" value={id} />
          {letter && (
            <button class="btn quiet small" name="do" value="retry">
              {t.retry}
            </button>
          )}
          <button class="btn danger small" name="do" value="forget">
            {t.forget}
          </button>
        </form>
      </td>
    </tr>
  );
};

/** The depths of the queues, and their dead letters. */
export const DeskQueues: FC<{ depths: Depth[]; letters: DeadLetter[]; total: number; done: string | undefined }> = ({
  depths,
  letters,
  total,
  done,
}) => {
  const t = useWords(deskWords);
  const { lang } = useView();
  return (
    <>
      <PageHead title={t.tabs.queues} lead={t.queuesLead} />
      <DeskDone done={done} />
      <Depths depths={depths} />
      <Card title={t.dead} extra={<span class={`pill ${total > 0 ? "warn" : "ok"}`}>{count(total, lang)}</span>}>
        <p class="dim small">
          {t.deadLead} {total > letters.length && t.deadTotal(count(total, lang))}
        </p>
        {letters.length === 0 ? (
          <Empty icon="check" title={t.noDead}>
            <p>{t.noDeadHint}</p>
          </Empty>
        ) : (
          <Wide label={t.dead} heads={[t.time, t.queue, t.account, { num: t.jobs }, t.change]}>
            {letters.map((letter) => (
              <LetterRow of={letter} />
            ))}
          </Wide>
        )}
      </Card>
    </>
  );
};

/** The result of a reconciliation. */
export interface Recounted {
  differences: FoundDifference[];
  accounts: number;
  /** The `after` of the next page; null when there is none. */
  next: string | null;
}

const Outcome: FC<{ of: Recounted }> = ({ of: { differences, accounts, next } }) => {
  const t = useWords(deskWords);
  const { at, lang } = useView();
  return (
    <>
      <Notice tone={differences.length === 0 ? "ok" : "bad"}>
        {differences.length === 0 ? t.addsUp : `${t.differences}: ${count(differences.length, lang)}`}
        {". "}
        {t.recounted(count(accounts, lang))}
      </Notice>
      {differences.length > 0 && (
        <Card title={t.differences}>
          <Wide label={t.differences} heads={[t.account, t.kind, t.difference]}>
            {differences.map(({ accountId, mode, kind, detail }) => (
              <tr>
                <td>
                  <a href={at(`/desk/accounts/${accountId}${mode === "test" ? "?mode=test" : ""}`)}>
                    <code>{accountId}</code>
                  </a>{" "}
                  {t[mode]}
                </td>
                <td>{kind}</td>
                <td class="deskwhy">{detail}</td>
              </tr>
            ))}
          </Wide>
        </Card>
      )}
      {next !== null && (
        <p>
          <a class="btn quiet" href={at(`/desk/reconcile?run=1&after=${encodeURIComponent(next)}`)}>
            {t.goOn}
          </a>
        </p>
      )}
    </>
  );
};

/** Reconciles one account, or all of them page by page. */
export const DeskReconcile: FC<{ account: string; found: Recounted | null; fault: FormFault | undefined }> = ({
  account,
  found,
  fault,
}) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.reconcile} lead={t.reconcileLead} />
      <Card>
        <form class="deskline" action={at("/desk/reconcile")}>
          <input type="hidden" name="run" value="1" />
          <Field
            label={t.oneAccount}
            name="account"
            mono
            value={account}
            hint={t.oneHint}
            autocomplete="off"
            error={faultAt(fault, "account")}
          />
          <button class="btn">{t.run}</button>
        </form>
      </Card>
      {found && <Outcome of={found} />}
    </>
  );
};
