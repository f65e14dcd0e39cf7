import type { FC, PropsWithChildren } from "hono/jsx";
import type { QuarantinedEvent } from "../../payments/events.ts";
import { count, paise } from "../format.ts";
import { Card, Empty, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskWords } from "./words.ts";
import { DeskDone, Wide, useMay } from "./frame.tsx";

// The operator's page of quarantined payments.

/** Payment events that await the operator. */
export const DeskPayments: FC<PropsWithChildren<{ events: QuarantinedEvent[]; done: string | undefined }>> = ({
  events,
  done,
  children,
}) => {
  const t = useWords(deskWords);
  const { at, lang } = useView();
  const mayResolve = useMay("payments");
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
                <td class="deskwhy" lang="en">
                  {event.quarantined}
                </td>
                <td class="deskwhy small">
                  {event.provider}: {event.kind}
                  <br />
                  <code>{event.eventId}</code>
                </td>
                <td>
                  {mayResolve && (
                    <form method="post" action={at("/desk/payments")}>
                      <input type="hidden" name="provider" value={event.provider} />
                      <input type="hidden" name="event" value={event.eventId} />
                      <button class="btn quiet small">{t.dealtWith}</button>
                    </form>
                  )}
                </td>
              </tr>
            ))}
          </Wide>
        )}
      </Card>
      {children}
    </>
  );
};
