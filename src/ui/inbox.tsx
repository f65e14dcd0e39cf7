import type { FC } from "hono/jsx";
import { PRODUCT } from "../config/settings.ts";
import { codeIn } from "../inbox/code.ts";
import type { InboxMessage } from "../inbox/types.ts";
import { isCall } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import { codePoints } from "../text/code-points.ts";
import { countSegments } from "../text/segments.ts";
import { unicodeLetters } from "../text/unicode.ts";
import { count, phoneText } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card, Kind, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { inbox } from "./words/inbox.ts";

// A message of the test inbox as a phone shows it, with its technical details.

/** A message, and what else the page needs to show it. */
export interface Chosen {
  message: InboxMessage;
  /** Path of its recording, or of its text as sound; null without one. */
  audio: string | null;
  /** The mode in which the reader's own account sent it; null when another account did. */
  mine: Mode | null;
}

/** The most letters that are listed as forcing Unicode; one is enough to explain it. */
const LETTERS_SHOWN = 8;

const languageName = (code: string, lang: string): string =>
  new Intl.DisplayNames([lang === "hi" ? "hi-IN" : "en-IN"], { type: "language" }).of(code.toLowerCase()) ?? code;

const Screen: FC<{ chosen: Chosen }> = ({ chosen: { message } }) => {
  const t = useWords(inbox);
  const text = message.text ?? t.unreadable;
  const bubble = (
    <p class="m-bubble" dir="auto">
      {text}
    </p>
  );
  if (!message.content.flash) {
    return (
      <div class="m-thread">
        <p class="m-when">
          <Time at={message.at} style="time" />
        </p>
        {bubble}
      </div>
    );
  }
  return (
    <div class="m-flash">
      <p class="m-label">{t.flash}</p>
      {bubble}
      <p class="small">{t.flashHint}</p>
    </div>
  );
};

const CallScreen: FC<{ chosen: Chosen }> = ({ chosen: { message, audio } }) => {
  const { at } = useView();
  const t = useWords(inbox);
  const isSpoken = message.operation === "tts";
  return (
    <div class="m-callcard">
      <span class="m-ring">
        <Icon name="call" />
      </span>
      <p>
        <b>{t.call}</b>
        <br />
        <Time at={message.at} style="time" />
      </p>
      <p class="m-label" id="plays">
        {isSpoken ? t.says : t.plays}
      </p>
      {isSpoken && <blockquote dir="auto">{message.text ?? t.unreadable}</blockquote>}
      {audio !== null && <audio controls preload="metadata" src={at(audio)} aria-labelledby="plays" />}
      {isSpoken && audio === null && <p class="small">{t.noVoice}</p>}
    </div>
  );
};

const Phone: FC<{ chosen: Chosen }> = ({ chosen }) => {
  const t = useWords(inbox);
  const { message } = chosen;
  const { operation, content, to, text } = message;
  const call = isCall(operation);
  const sender = content.sender ?? PRODUCT;
  const code = codeIn(operation, text);
  return (
    <div class={`m-phone ${call ? "m-calls" : content.flash ? "m-flashes" : ""}`}>
      <span class="m-notch" />
      <div class="m-who">
        <span class="m-avatar" aria-hidden="true">
          {call ? <Icon name="person" /> : sender.trim().charAt(0).toUpperCase()}
        </span>
        <b dir="auto">{call ? PRODUCT : sender}</b>
        <span>
          {t.to} <span class="num">{phoneText(to)}</span>
        </span>
      </div>
      {call ? <CallScreen chosen={chosen} /> : <Screen chosen={chosen} />}
      {code !== null && (
        <button type="button" class="btn wide" data-copy={code}>
          <Icon name="copy" />
          {t.copyCode(code)}
        </button>
      )}
    </div>
  );
};

const SmsCheck: FC<{ text: string }> = ({ text }) => {
  const { lang } = useView();
  const t = useWords(inbox);
  const { encoding, segments } = countSegments(text);
  const letters = unicodeLetters(text);
  return (
    <>
      <dt>{t.encoding}</dt>
      <dd>{encoding}</dd>
      <dt>{t.segments}</dt>
      <dd>{count(segments, lang)}</dd>
      <dt>{t.characters}</dt>
      <dd>{count(codePoints(text), lang)}</dd>
      {letters.length > 0 && (
        <>
          <dt>{t.unicode}</dt>
          <dd>
            <bdi>{letters.slice(0, LETTERS_SHOWN).join(" ")}</bdi>
            {letters.length > LETTERS_SHOWN && " …"}
          </dd>
        </>
      )}
    </>
  );
};

const VoiceFacts: FC<{ message: InboxMessage }> = ({ message: { content } }) => {
  const { lang } = useView();
  const t = useWords(inbox);
  const { language, accent, gender, rate } = content;
  if (language === undefined) return null;
  const accents: Record<string, string> = t.accents;
  // An accent has an effect only in English.
  const voice = [languageName(language, lang), language === "EN" && accents[accent ?? ""], gender && t.genders[gender]];
  return (
    <>
      <dt>{t.language}</dt>
      <dd>{voice.filter(Boolean).join(", ")}</dd>
      <dt>{t.speed}</dt>
      <dd>{rate ?? 1}×</dd>
    </>
  );
};

/** A link to the API's reply; when the message was sent in the other mode, a form that switches the mode first. */
const Replied: FC<{ chosen: Chosen }> = ({ chosen: { message, mine } }) => {
  const { at, mode } = useView();
  const t = useWords(inbox);
  if (mine === null) return null;
  const path = `/activity/${message.ref}`;
  if (mine === mode) {
    return (
      <a class="btn quiet small" href={at(path)} data-drawer>
        {t.replied}
      </a>
    );
  }
  return (
    <form method="post" action={at("/preferences")}>
      <input type="hidden" name="next" value={path} />
      <button class="btn quiet small" name="mode" value={mine}>
        {mine === "test" ? t.repliedTest : t.repliedLive}
      </button>
    </form>
  );
};

/** A message on a phone, its details, and its actions. */
export const Detail: FC<{ chosen: Chosen; q: string }> = ({ chosen, q }) => {
  const { at } = useView();
  const t = useWords(inbox);
  const { message } = chosen;
  const { ref, operation, at: atMs, requestId, text } = message;
  return (
    <>
      <Phone chosen={chosen} />
      <Card title={isCall(operation) ? t.details : t.check} class="m-facts">
        <dl class="facts">
          {isCall(operation) ? <VoiceFacts message={message} /> : <SmsCheck text={text ?? ""} />}
          <dt>{t.kind}</dt>
          <dd>
            <Kind operation={operation} />
          </dd>
          <dt>{t.received}</dt>
          <dd>
            <Time at={atMs} />
          </dd>
          <dt>{t.request}</dt>
          <dd class="mono">{requestId}</dd>
        </dl>
        <div class="actions">
          <Replied chosen={chosen} />
          <form method="post" action={at(`/inbox/${ref}/delete`)}>
            <input type="hidden" name="q" value={q} />
            <button class="btn danger small">
              <Icon name="trash" />
              {t.remove}
            </button>
          </form>
        </div>
      </Card>
    </>
  );
};

/** The button that clears the inbox; it asks for confirmation first, also without the script. */
export const Clear: FC<{ q: string }> = ({ q }) => {
  const { at } = useView();
  const t = useWords(inbox);
  return (
    <details class="m-clear">
      <summary class="btn quiet">
        <Icon name="trash" />
        {t.clear}
      </summary>
      <form class="card" method="post" action={at("/inbox/clear")}>
        <p>{q === "" ? t.clearAll : t.clearFound}</p>
        <input type="hidden" name="q" value={q} />
        <button class="btn danger wide">{t.clearNow}</button>
      </form>
    </details>
  );
};

/** Shown in place of the phone while no message is chosen. */
export const NoneChosen: FC = () => {
  const t = useWords(inbox);
  return (
    <div class="m-phone m-blank">
      <span class="m-notch" />
      <p class="dim">{t.pick}</p>
    </div>
  );
};
