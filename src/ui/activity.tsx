import type { FC } from "hono/jsx";
import { ACTIVITY_OPERATORS, showPlace } from "../activity/list.ts";
import type { ActivityPage } from "../activity/list.ts";
import { showKeyId } from "../crypto/api-key.ts";
import type { MessageView } from "../model/message.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { Fault } from "../search/terms.ts";
import { phoneText } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card, Empty, Kind, Money, Notice, PageHead, StateBadge, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { activity } from "./words/activity.ts";
import { faultText } from "./words/search.ts";
import { requestWords } from "./words/requests.ts";
import { shell } from "./words/shell.ts";

// The list of messages: search, hints, rows, pages.

interface ActivityProps extends ActivityPage {
  q: string;
  faults: Fault[];
  /** Public id of a row. */
  idOf: (row: MessageView) => string;
  /** Name of a key, where it has one. */
  nameOf: (keyId: number) => string | undefined;
}

/** Hints that a click adds to the search. */
const HINTS = ["kind:otp", "state:failed", "-state:delivered", "after:today", "cost:>1", "to:98765"];

const EXAMPLES: Record<(typeof ACTIVITY_OPERATORS)[number], string> = {
  to: "to:98765",
  kind: "kind:sms,otp",
  state: "-state:delivered",
  key: 'key:"first key"',
  request: "request:req_…",
  cost: "cost:>1",
  after: "after:7d",
  before: "before:2026-11-21T10:00",
};

const address = (path: string, query: Record<string, string>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

const Help: FC = () => {
  const t = useWords(activity);
  return (
    <details class="search-help">
      <summary>{t.help}</summary>
      <p>{t.helpText}</p>
      <dl>
        {ACTIVITY_OPERATORS.map((name) => (
          <div>
            <dt>
              <code>{EXAMPLES[name]}</code>
            </dt>
            <dd>{t.means[name]}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

const SearchForm: FC<{ q: string }> = ({ q }) => {
  const t = useWords(activity);
  const { at } = useView();
  return (
    <div class="activity-search">
      <form method="get" action={at("/activity")} role="search">
        <label class="sr" for="q">
          {t.search}
        </label>
        <div class="searchbox">
          <Icon name="search" />
          <input
            type="search"
            id="q"
            name="q"
            value={q}
            placeholder={t.placeholder}
            maxlength={500}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-keyshortcuts="/"
          />
        </div>
        <button class="btn">{t.find}</button>
        {q !== "" && (
          <a class="btn quiet" href={at("/activity")}>
            {t.clear}
          </a>
        )}
      </form>
      <ul class="hints" aria-label={t.hints}>
        {HINTS.filter((hint) => !q.split(" ").includes(hint)).map((hint) => (
          <li>
            <a class="hintlink mono" href={address(at("/activity"), { q: `${q} ${hint}`.trim() })} data-hint={hint}>
              {hint}
            </a>
          </li>
        ))}
      </ul>
      <Help />
    </div>
  );
};

const Cost: FC<{ row: MessageView }> = ({ row }) => {
  const t = useWords(activity);
  if (!row.refunded) return <Money units={row.charge} />;
  return (
    <>
      <s>
        <Money units={row.charge} />
      </s>{" "}
      <span class="refunded">{t.refunded}</span>
    </>
  );
};

const Row: FC<{ row: MessageView; id: string; keyName: string | null }> = ({ row, id, keyName }) => {
  const t = useWords(activity);
  const { at } = useView();
  return (
    <tr>
      <td class="when">
        <Time at={row.createdAt} style="day" /> <Time at={row.createdAt} style="time" />
      </td>
      <td class="what">
        <Kind operation={row.operation} />
      </td>
      <td class="whom num">
        <a href={at(`/activity/${id}`)} data-drawer>
          {phoneText(row.to)}
        </a>
      </td>
      <td class="how">
        <StateBadge state={row.state} />
      </td>
      <td class="cost num">
        <Cost row={row} />
      </td>
      <td class="with dim">{keyName ?? "–"}</td>
      <td class="tries num dim" data-label={t.attempts}>
        {row.attempts}
      </td>
    </tr>
  );
};

const Rows: FC<Pick<ActivityProps, "rows" | "idOf" | "nameOf">> = ({ rows, idOf, nameOf }) => {
  const t = useWords(activity);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={t.list}>
      <table class="messages">
        <thead>
          <tr>
            <th>{t.time}</th>
            <th>{t.kind}</th>
            <th class="num">{t.number}</th>
            <th>{t.state}</th>
            <th class="num">{t.cost}</th>
            <th>{t.key}</th>
            <th class="num">{t.attempts}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              row={row}
              id={idOf(row)}
              keyName={row.keyId === null ? null : (nameOf(row.keyId) ?? showKeyId(row.keyId))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Nothing: FC<{ searching: boolean; cut: boolean }> = ({ searching, cut }) => {
  const t = useWords(activity);
  const { at } = useView();
  if (cut) return <Empty icon="search" title={t.searched} />;
  if (searching) {
    return (
      <Empty icon="search" title={t.nothing}>
        <p>{t.nothingHint}</p>
      </Empty>
    );
  }
  return (
    <Empty icon="activity" title={t.none}>
      <p>{t.noneHint}</p>
      <p>
        <a class="btn" href={at("/send")}>
          {t.sendOne}
        </a>
      </p>
    </Empty>
  );
};

const Pager: FC<{ q: string; newer: MessagePlace | null; older: MessagePlace | null; cut: boolean }> = (props) => {
  const t = useWords(activity);
  const names = useWords(shell);
  const { at } = useView();
  const { q, newer, older, cut } = props;
  if (!newer && !older) return null;
  return (
    <nav class="pager" aria-label={t.pages}>
      {newer && (
        <a class="btn quiet" rel="prev" href={address(at("/activity"), { q, newer: showPlace(newer) })}>
          {names.previous}
        </a>
      )}
      {older && (
        <a class="btn quiet" rel="next" href={address(at("/activity"), { q, older: showPlace(older) })}>
          {cut ? t.furtherBack : names.next}
        </a>
      )}
    </nav>
  );
};

/** The page of messages. */
export const Activity: FC<ActivityProps> = (props) => {
  const { q, faults, rows, newer, older, cut, away } = props;
  const t = useWords(activity);
  const { at, lang } = useView();
  const searching = q !== "" || newer !== null;
  return (
    <>
      <PageHead title={useWords(shell).activity} lead={t.lead}>
        <a class="btn quiet" href={at("/requests")}>
          {useWords(requestWords).title}
        </a>
        <a class="btn quiet" href={address(at("/activity.csv"), { q })} download>
          <Icon name="download" />
          {t.export}
        </a>
      </PageHead>
      <Card class="activity">
        <SearchForm q={q} />
        {faults.length > 0 && (
          <Notice tone="bad">
            {faults.map((fault) => (
              <p>{faultText(fault, lang, ACTIVITY_OPERATORS)}</p>
            ))}
          </Notice>
        )}
        {away && <Notice tone="bad">{t.away}</Notice>}
        {rows.length === 0 ? <Nothing searching={searching} cut={cut} /> : <Rows {...props} />}
        {cut && rows.length > 0 && <p class="dim small">{t.searched}</p>}
        <Pager q={q} newer={newer} older={older} cut={cut} />
      </Card>
    </>
  );
};
