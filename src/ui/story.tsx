import type { FC, PropsWithChildren } from "hono/jsx";
import type { PriceParts, ShownText } from "../activity/message-detail.ts";
import { showKeyId } from "../crypto/api-key.ts";
import type { MessageDetail } from "../model/message-detail.ts";
import { OPERATIONS, contentOf, isCall } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import { count, phoneText } from "./format.ts";
import { Code, CopyButton, Money, Notice, StateBadge, Time, useMoney } from "./parts.tsx";
import { cancelRequestPath } from "./send/schedule.tsx";
import { useView, useWords } from "./view.ts";
import { firstSteps } from "./words/first-steps.ts";
import { repeat } from "./words/repeat.ts";
import { schedule } from "./words/schedule.ts";
import { shell } from "./words/shell.ts";
import { story as words } from "./words/story.ts";

// One message, as a page of its own or in the drawer beside the list.

interface StoryProps {
  id: string;
  mode: Mode;
  story: MessageDetail;
  shown: ShownText;
  price: PriceParts;
  /** The request as a command, which is null when it cannot be repeated, and the reply. */
  curl: string | null;
  reply: Record<string, unknown>;
  /** Whether it is part of another page, which has its own h1. */
  part: boolean;
}

const Section: FC<PropsWithChildren<{ title: string; part: boolean; class?: string }>> = (props) => {
  const { title, part, children } = props;
  return (
    <section class={`${part ? "" : "card "}${props.class ?? ""}`}>
      {part ? <h3>{title}</h3> : <h2>{title}</h2>}
      {children}
    </section>
  );
};

const round = (value: number) => Math.round(value * 10) / 10;

/** A duration in the largest unit that it fills. */
function useSpan(): (ms: number) => string {
  const t = useWords(words);
  return (ms) => {
    if (ms < 1_000) return t.span(ms, "ms");
    if (ms < 60_000) return t.span(round(ms / 1_000), "s");
    if (ms < 3_600_000) return t.span(round(ms / 60_000), "min");
    return ms < 86_400_000 ? t.span(round(ms / 3_600_000), "h") : t.span(round(ms / 86_400_000), "d");
  };
}

/** What the receiver sees or hears. */
const Phone: FC<Pick<StoryProps, "story" | "shown">> = ({ story, shown }) => {
  const t = useWords(words);
  const { operation } = story.message;
  const call = isCall(operation);
  const content = contentOf(operation);
  const gone = content === "code" ? t.forgotten : t.old(shown.keptDays);
  const plays = story.recording ? t.plays(story.recording.name) : t.playsGone;
  return (
    <div class="phone">
      <p class="sender">{story.content.sender ?? phoneText(story.message.to)}</p>
      {story.content.flash === true && <p class="pill warn">{t.flash}</p>}
      {shown.why === "recording" && <p class="heard">{plays}</p>}
      {call && content === "text" && shown.text !== null && <p class="heard">{t.speaks}</p>}
      {shown.text !== null && (
        <p class={call ? "bubble spoken" : "bubble"} dir="auto">
          {shown.text}
        </p>
      )}
      {shown.why === "forgotten" && <p class="heard">{gone}</p>}
      {shown.why === "unreadable" && <p class="heard">{t.unreadable}</p>}
      {shown.why === "masked" && <p class="heard">{t.masked}</p>}
    </div>
  );
};

/** Why a message is in its state, in words. */
const Reason: FC<{ story: MessageDetail }> = ({ story }) => {
  const t = useWords(words);
  const { errorCode: code, state } = story.message;
  if (code === null) return null;
  const status = /^http_(\d{3})$/u.exec(code)?.[1];
  const known = Object.hasOwn(t.reasons, code) ? t.reasons[code] : undefined;
  const sentence = status === undefined ? (known ?? t.otherReason(code)) : t.gateway(status);
  return (
    <Notice tone={state === "failed" || state === "undelivered" ? "bad" : "info"}>
      <b class="sr">{t.why}: </b>
      {sentence} {state === "queued" && t.waiting} {known !== undefined && <code>{code}</code>}
    </Notice>
  );
};

const Arithmetic: FC<{ price: PriceParts; charge: number }> = ({ price, charge }) => {
  const t = useWords(words);
  const span = useSpan();
  const money = useMoney();
  return (
    <>
      {price.durationMs !== null && <p class="dim">{t.recording(span(price.durationMs))}</p>}
      <p class="sum">
        {t.parts[price.part](price.parts)} × {money(price.each)} × {t.recipients(price.recipients)} ={" "}
        <b>{money(price.total)}</b>
      </p>
      {price.recipients > 1 && <p class="dim">{t.ofWhole(money(charge))}</p>}
    </>
  );
};

const Refund: FC<{ story: MessageDetail }> = ({ story }) => {
  const t = useWords(words);
  const money = useMoney();
  const { refund } = story;
  if (!refund) return null;
  return (
    <Notice tone="ok">
      {t.refundText(money(refund.amount))} <Time at={refund.at} />, {t.ledger(refund.seq)}{" "}
      <code>{refund.reference}</code>
    </Notice>
  );
};

const Timeline: FC<{ story: MessageDetail }> = ({ story }) => {
  const t = useWords(words);
  const span = useSpan();
  const { timeline } = story.message;
  return (
    <ol class="timeline">
      {timeline.map(({ state, at, attempt, carrier, code }, index) => {
        const before = timeline[index - 1];
        return (
          <li data-state={state}>
            <StateBadge state={state} />{" "}
            {state === "sending" && attempt !== undefined && <span class="dim">{t.attempt(attempt)}</span>}{" "}
            {carrier !== undefined && <span class="dim">{carrier}</span>}{" "}
            {state === "queued" && code !== undefined && <code>{code}</code>}
            <span class="at">
              <Time at={at} /> {before && <span class="dim">{t.after(span(Math.max(0, at - before.at)))}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
};

const Details: FC<Pick<StoryProps, "id" | "story">> = ({ id, story }) => {
  const t = useWords(words);
  const { sendAt } = useWords(schedule);
  const { at, lang } = useView();
  const { message, request, keyName, expiresAt } = story;
  const key = message.keyId === null ? t.noKey : (keyName ?? showKeyId(message.keyId));
  const all = at(`/activity?${new URLSearchParams({ q: `request:${message.requestId}` }).toString()}`);
  const number = (value: number) => count(value, lang);
  return (
    <dl class="facts">
      <dt>{t.cost}</dt>
      <dd>
        {message.refunded ? (
          <>
            <s>
              <Money units={message.charge} />
            </s>{" "}
            {t.refunded}
          </>
        ) : (
          <Money units={message.charge} />
        )}
      </dd>
      <dt>{t.key}</dt>
      <dd>{key}</dd>
      <dt>{t.carrier}</dt>
      <dd>{message.carrier ?? t.noCarrier}</dd>
      <dt>{t.attempts}</dt>
      <dd>{number(message.attempts)}</dd>
      {message.sendAt !== undefined && (
        <>
          <dt>{sendAt}</dt>
          <dd>
            <Time at={message.sendAt} />
          </dd>
        </>
      )}
      {message.state === "queued" && (
        <>
          <dt>{t.validUntil}</dt>
          <dd>
            <Time at={expiresAt} />
          </dd>
        </>
      )}
      <dt>{t.id}</dt>
      <dd class="copied">
        <code>{id}</code> <CopyButton text={id} label={t.copyId} />
      </dd>
      <dt>{t.requestId}</dt>
      <dd class="copied">
        <code>{message.requestId}</code> <CopyButton text={message.requestId} label={t.copyRequest} />
        {request.count > 1 && <a href={all}>{t.allOfRequest(request.count)}</a>}
      </dd>
    </dl>
  );
};

const Head: FC<Pick<StoryProps, "story" | "mode" | "part">> = ({ story, mode, part }) => {
  const t = useWords(words);
  const names = useWords(shell);
  const { message } = story;
  const title = `${names.operations[message.operation]} · ${phoneText(message.to)}`;
  return (
    <div class="storyhead">
      {part ? <h2>{title}</h2> : <h1>{title}</h1>}
      <p class="dim">
        <StateBadge state={message.state} /> {mode === "test" && <span class="pill">{t.testMode}</span>}{" "}
        <Time at={message.createdAt} />
      </p>
    </div>
  );
};

/** The request as a command, with what the reader has to set before running it. */
const Command: FC<{ curl: string | null; ownCode: boolean }> = ({ curl, ownCode }) => {
  const t = useWords(words);
  const r = useWords(repeat);
  if (curl === null) return <p class="dim">{r.gone}</p>;
  return (
    <>
      <Code text={curl} label="curl" />
      <p class="hint">{ownCode ? r.ownCode : t.requestHint}</p>
    </>
  );
};

/** A message with its text, price, times, request and reply. */
export const Story: FC<StoryProps> = (props) => {
  const { id, mode, story, shown, price, curl, reply, part } = props;
  const t = useWords(words);
  const { onPhone } = useWords(firstSteps);
  const later = useWords(schedule);
  const { at, caught } = useView();
  const { message, request } = story;
  const again = at(`/send/${OPERATIONS[message.operation].send}?${new URLSearchParams({ to: message.to }).toString()}`);
  const left = request.count - request.recipients.length;
  return (
    <article class={part ? "story" : "story whole"}>
      <Head story={story} mode={mode} part={part} />
      <div class="storyactions">
        <a class="btn quiet small" href={again}>
          {t.again}
        </a>
        {caught && message.carrier === "sim" && (
          <a class="btn quiet small" href={at(`/inbox/${id}`)}>
            {onPhone}
          </a>
        )}
        {(message.state === "scheduled" || message.state === "queued") && (
          <a class="btn quiet small" href={at(`/activity/${id}/cancel`)}>
            {later.cancelMessage}
          </a>
        )}
        {message.state === "scheduled" && request.count > 1 && (
          <a class="btn quiet small" href={at(cancelRequestPath(message.requestId))}>
            {later.cancelRequest}
          </a>
        )}
        {!part && (
          <a class="btn quiet small" href={at("/activity")}>
            {t.back}
          </a>
        )}
      </div>
      <Reason story={story} />
      <Refund story={story} />
      <Section title={isCall(message.operation) ? t.call : t.message} part={part}>
        <Phone story={story} shown={shown} />
      </Section>
      <Section title={t.timeline} part={part}>
        <Timeline story={story} />
      </Section>
      <Section title={t.price} part={part}>
        <Arithmetic price={price} charge={message.charge} />
      </Section>
      <Section title={t.details} part={part}>
        <Details id={id} story={story} />
      </Section>
      <Section title={t.request} part={part} class="wide">
        <Command curl={curl} ownCode={shown.why === "masked" || (curl !== null && shown.why === "forgotten")} />
        {curl !== null && left > 0 && request.recipients.length > 1 && <p class="hint">{t.shortened(left)}</p>}
      </Section>
      <Section title={t.reply} part={part} class="wide">
        <Code text={JSON.stringify(reply, null, 2)} label="JSON" />
      </Section>
    </article>
  );
};
