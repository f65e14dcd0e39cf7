import type { FC } from "hono/jsx";
import type { ScheduledRequest } from "../../model/message-detail.ts";
import { phoneText } from "../format.ts";
import { Card, Empty, Kind, Money, Notice, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { schedule } from "../words/schedule.ts";

// What is scheduled, and the question before it is cancelled.

/** The address of the question before a request is cancelled. */
export const cancelRequestPath = (requestId: string) => `/schedule/${encodeURIComponent(requestId)}/cancel`;

const Row: FC<{ of: ScheduledRequest; id: string }> = ({ of, id }) => {
  const t = useWords(schedule);
  const { at } = useView();
  const number = phoneText(of.to);
  return (
    <tr>
      <td>
        <Time at={of.sendAt} />
      </td>
      <td>
        <Kind operation={of.operation} />{" "}
        <a href={at(`/activity/${id}`)} data-drawer>
          {number}
        </a>{" "}
        {of.count > 1 && <small class="dim">{t.more(of.count - 1)}</small>}
      </td>
      <td class="num">
        <Money units={of.charge * of.count} />
      </td>
      <td>
        <a class="btn quiet small" href={at(cancelRequestPath(of.requestId))} aria-label={t.cancelOf(number)}>
          {t.cancel}
        </a>
      </td>
    </tr>
  );
};

/** The requests that are scheduled; `cancelled`: messages that were cancelled just now. */
export const Schedule: FC<{
  list: readonly ScheduledRequest[];
  idOf: (of: ScheduledRequest) => string;
  /** The address of the next page. */
  later: string | null;
  cancelled: number;
}> = ({ list, idOf, later, cancelled }) => {
  const t = useWords(schedule);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {cancelled > 0 && (
        <Notice tone="ok" focused>
          <p>{t.cancelled(cancelled)}</p>
        </Notice>
      )}
      <Card title={t.list}>
        {list.length === 0 ? (
          <Empty icon="schedule" title={t.none}>
            <p>{t.noneHint}</p>
            <a class="btn" href={at("/send")}>
              {t.sendOne}
            </a>
          </Empty>
        ) : (
          <div class="scroll" tabindex={0} role="region" aria-label={t.list}>
            <table>
              <thead>
                <tr>
                  <th>{t.sendAt}</th>
                  <th>{t.to}</th>
                  <th class="num">{t.cost}</th>
                  <th>
                    <span class="sr">{t.cancel}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {list.map((of) => (
                  <Row of={of} id={idOf(of)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {later !== null && (
          <p class="older">
            <a class="btn quiet" href={later} rel="next">
              {t.later}
            </a>
          </p>
        )}
      </Card>
    </>
  );
};

/** What would be cancelled. */
export interface Cancellable {
  /** The number of its first message. */
  to: string;
  messages: number;
  /** Units that are refunded. */
  units: number;
  sendAt: number | undefined;
}

/** The question before a message or a request is cancelled. */
export const CancelQuestion: FC<{ of: Cancellable; action: string; back: string; isWhole: boolean }> = (props) => {
  const { of, action, back, isWhole } = props;
  const t = useWords(schedule);
  const { at, mode } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{isWhole ? t.askAll : t.askOne}</h1>
      <p>
        <b>{phoneText(of.to)}</b> {of.messages > 1 && t.more(of.messages - 1)}
        {of.sendAt !== undefined && (
          <>
            {" · "}
            <Time at={of.sendAt} />
          </>
        )}
      </p>
      <p>
        {t.messages(of.messages)}: <Money units={of.units} /> {t.refunded}
      </p>
      <p class="dim">{t.nothingSent}</p>
      <form class="actions" method="post" action={at(action)}>
        <input type="hidden" name="mode" value={mode} />
        <button class="btn danger">{t.confirm}</button>
        <a class="btn quiet" href={at(back)}>
          {t.keep}
        </a>
      </form>
    </section>
  );
};
