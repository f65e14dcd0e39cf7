import type { FC } from "hono/jsx";
import { codeIn } from "../inbox/code.ts";
import { INBOX_OPERATORS } from "../inbox/search.ts";
import type { InboxMessage } from "../inbox/types.ts";
import { contentOf } from "../model/operations.ts";
import type { Fault } from "../search/terms.ts";
import { phoneText } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card, Code, Empty, Notice, Older, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { inbox } from "./words/inbox.ts";
import { faultText } from "./words/search.ts";
import { shell } from "./words/shell.ts";

// The list of the test inbox. The browser's script clones the template below for messages that arrive while it is open.

/** The content of the list. */
export interface Listed {
  messages: readonly InboxMessage[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
  /** The search as it was typed, and what of it was not understood. */
  q: string;
  faults: readonly Fault[];
  /** Whether this is the newest page, the only one on which new messages appear. */
  newest: boolean;
}

/** A path of the inbox that keeps the search. */
export function inboxPath(path: string, q: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(q !== "" && { q }), ...more }).toString();
  return query === "" ? path : `${path}?${query}`;
}

const Row: FC<{ message?: InboxMessage; q: string; chosen: boolean }> = ({ message, q, chosen }) => {
  const { at } = useView();
  const t = useWords(inbox);
  const { operations } = useWords(shell);
  const code = message ? codeIn(message.operation, message.text) : null;
  const recording = message && contentOf(message.operation) === "recording";
  const text = recording ? t.recording : (message?.text ?? (message ? t.unreadable : ""));
  return (
    <li {...(message && { "data-id": message.ref })}>
      <a href={at(inboxPath(`/inbox/${message?.ref ?? ""}`, q))} {...(chosen && { "aria-current": "true" })}>
        <span class="m-head">
          <b data-f="to">{message && phoneText(message.to)}</b>
          <span class={`kind ${message?.operation ?? ""}`} data-f="kind">
            {message && operations[message.operation]}
          </span>
          {message ? <Time at={message.at} style="time" /> : <time data-style="time" />}
        </span>
        <span class="m-body">
          <span class="m-text" dir="auto" data-f="text">
            {text}
          </span>
          <span class="m-code num" data-f="code" {...(code === null && { hidden: true })}>
            {code}
          </span>
        </span>
      </a>
    </li>
  );
};

const SearchBar: FC<{ q: string }> = ({ q }) => {
  const { at } = useView();
  const t = useWords(inbox);
  return (
    <form class="m-search" method="get" action={at("/inbox")} role="search">
      <input type="search" name="q" value={q} aria-label={t.search} placeholder={t.searchHint} autocomplete="off" />
      <button class="btn quiet" aria-label={t.find}>
        <Icon name="search" />
      </button>
    </form>
  );
};

const NoMessage: FC<{ q: string; sample: string; hidden: boolean }> = ({ q, sample, hidden }) => {
  const { at, local } = useView();
  const t = useWords(inbox);
  const found = q !== "";
  return (
    <div class="m-empty" data-inbox-empty {...(hidden && { hidden: true })}>
      <Empty icon={found ? "search" : "phone"} title={found ? t.nothingFound : t.empty}>
        <p>{found ? t.nothingFoundHint : local ? t.emptyHint : t.emptyHintTest}</p>
        {found && (
          <p>
            <a class="btn quiet" href={at("/inbox")}>
              {t.showAll}
            </a>
          </p>
        )}
      </Empty>
      {!found && <Code label={t.firstSend} text={sample} />}
    </div>
  );
};

/** How a test waits for a message and reads its code. */
export const ForTests: FC<{ sample: string }> = ({ sample }) => {
  const t = useWords(inbox);
  return (
    <Card title={t.forTests}>
      <div class="stack">
        <p class="dim">{t.forTestsHint}</p>
        <Code label="curl" text={sample} />
      </div>
    </Card>
  );
};

/** The list with its search; `sample` is a command that sends a message. */
export const InboxList: FC<{ listed: Listed; chosen: string | undefined; sample: string }> = ({
  listed: { messages, next, q, faults, newest },
  chosen,
  sample,
}) => {
  const { at, lang } = useView();
  const t = useWords(inbox);
  const { operations } = useWords(shell);
  return (
    <section class="card m-list" aria-label={t.list}>
      <SearchBar q={q} />
      {faults.map((fault) => (
        <Notice tone="info">{faultText(fault, lang, INBOX_OPERATORS)}</Notice>
      ))}
      <ul
        id="caught"
        {...(newest && { "data-after": String(messages[0]?.seq ?? 0) })}
        data-q={q}
        data-operations={JSON.stringify(operations)}
        data-recording={t.recording}
      >
        {messages.map((message) => (
          <Row message={message} q={q} chosen={message.ref === chosen} />
        ))}
      </ul>
      <NoMessage q={q} sample={sample} hidden={messages.length > 0} />
      {next !== null && <Older href={at(inboxPath("/inbox", q, { after: next }))} />}
      <template id="caught-row">
        <Row q={q} chosen={false} />
      </template>
    </section>
  );
};
