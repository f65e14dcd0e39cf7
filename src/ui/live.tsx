import type { FC } from "hono/jsx";
import { isAllRefunded } from "../model/live.ts";
import type { LiveRow } from "../model/live.ts";
import type { MessageState, Operation } from "../model/message.ts";
import { OPERATION_NAMES } from "../model/operations.ts";
import { count, phoneText } from "./format.ts";
import { Icon } from "./icons.tsx";
import { inboxPath } from "./inbox-list.tsx";
import { Card, Empty, Kind, StateBadge, Time, useMoney } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { firstSteps } from "./words/first-steps.ts";
import { live } from "./words/live.ts";
import { shell } from "./words/shell.ts";

// The live list. The server renders its first rows; the browser's script clones the template below for later ones.

type Row = LiveRow<MessageState, Operation>;

/** The link of a row: to its message, or to all messages of its request. */
function rowPath(row: Row): string {
  return row.total === 1
    ? `/activity/${row.messageId}`
    : `/activity?q=${encodeURIComponent(`request:${row.requestId}`)}`;
}

/** A row; without `row`, the template of which the script makes rows. */
const LiveRowLine: FC<{ row?: Row }> = ({ row }) => {
  const { at, lang, caught } = useView();
  const t = useWords(live);
  const { onPhone } = useWords(firstSteps);
  const money = useMoney();
  const many = row && row.total > 1;
  const gone = row && isAllRefunded(row);
  const fill = (text: string, n: number, m = 0) => text.replace("{n}", count(n, lang)).replace("{m}", count(m, lang));
  return (
    <tr {...(row && { "data-request": row.requestId, "data-seq": String(row.seq) })}>
      <td class="l-time" data-f="time">
        {row ? <Time at={row.createdAt} style="time" /> : <time data-style="time" />}
      </td>
      <td class="l-kind" data-f="kind">
        {row && <Kind operation={row.operation} />}
      </td>
      <td class="l-to">
        <a href={row ? at(rowPath(row)) : ""} data-f="to" {...(row && !many && { "data-drawer": true })}>
          {row && phoneText(row.to)}
        </a>
        <small class="dim" data-f="more">
          {many && ` ${fill(t.more, row.total - 1)}`}
        </small>
      </td>
      <td class="l-text" dir="auto" data-f="text">
        {row?.preview}
      </td>
      <td class="l-state">
        <span data-f="state">{row && <StateBadge state={row.state} />}</span>
        <small class="dim" data-f="done">
          {many && fill(t.done, row.delivered, row.total)}
        </small>
        {caught && (
          <a
            class="ghost onphone"
            href={row ? at(inboxPath("/inbox", `request:${row.requestId}`)) : ""}
            data-f="phone"
            title={onPhone}
            aria-label={onPhone}
          >
            <Icon name="phone" />
          </a>
        )}
      </td>
      <td class="l-cost num">
        <s data-f="was">{row && row.refunded > 0 && money(row.cost + row.refunded)}</s>{" "}
        <span data-f="cost" {...(gone && { class: "refunded" })}>
          {row && (gone ? t.refunded : money(row.cost))}
        </span>
      </td>
    </tr>
  );
};

const STATES: readonly MessageState[] = [
  "scheduled",
  "queued",
  "sending",
  "submitted",
  "delivered",
  "undelivered",
  "unconfirmed",
  "failed",
  "unknown",
  "cancelled",
];

/** Templates for the browser's script: rows, badges and sentences in the reader's language. */
const Templates: FC = () => (
  <>
    <template id="live-row">
      <table>
        <tbody>
          <LiveRowLine />
        </tbody>
      </table>
    </template>
    <template id="live-badges">
      {STATES.map((state) => (
        <StateBadge state={state} />
      ))}
      {OPERATION_NAMES.map((operation) => (
        <span data-state={operation}>
          <Kind operation={operation} />
        </span>
      ))}
    </template>
  </>
);

/** Pause, search, and whether the list is live; shown only where the script runs. */
const Controls: FC = () => {
  const t = useWords(live);
  return (
    <div class="livebar" hidden data-live-controls>
      <span
        class="livestate"
        role="status"
        data-live-state="lost"
        data-on={t.on}
        data-paused={t.paused}
        data-lost={t.lost}
      >
        {t.lost}
      </span>
      <button
        type="button"
        class="ghost"
        aria-keyshortcuts="L"
        data-live-pause
        data-pause={t.pause}
        data-resume={t.resume}
      >
        <Icon name="pause" />
        <span>{t.pause}</span>
        <kbd>{t.pauseKey}</kbd>
      </button>
      <button type="button" class="btn small" hidden data-live-new data-text={t.waiting} />
      <input type="search" aria-label={t.search} placeholder={t.searchHint} data-live-search />
    </div>
  );
};

/** The list of the newest requests, which updates live. */
export const LiveList: FC<{ rows: readonly Row[] }> = ({ rows }) => {
  const t = useWords(live);
  const { at } = useView();
  return (
    <Card title={t.title} extra={<Controls />} class="live">
      <div class="scroll" tabindex={0} role="region" aria-label={t.list}>
        <table {...(rows.length === 0 && { hidden: true })}>
          <thead>
            <tr>
              <th>{t.time}</th>
              <th>{t.kind}</th>
              <th>{t.to}</th>
              <th>{t.text}</th>
              <th>{t.state}</th>
              <th class="num">{t.cost}</th>
            </tr>
          </thead>
          <tbody id="live" data-more={t.more} data-done={t.done} data-refunded={t.refunded}>
            {rows.map((row) => (
              <LiveRowLine row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim nomatch" role="status" data-live-none={t.noMatch} />
      <div data-live-empty {...(rows.length > 0 && { hidden: true })}>
        <Empty icon="activity" title={t.none}>
          <p>{t.noneHint}</p>
        </Empty>
      </div>
      <p class="older" data-live-all>
        <a class="ghost" href={at("/activity")}>
          {t.all}
        </a>
      </p>
      <Templates />
    </Card>
  );
};

/** The words that the script writes into tiles. */
export const useTileWords = (): Record<`data-${string}`, string> => {
  const { plans, status } = useWords(shell);
  return Object.fromEntries(Object.entries({ ...plans, ...status }).map(([name, word]) => [`data-${name}`, word]));
};
