import type { FC, PropsWithChildren } from "hono/jsx";
import { randomId } from "../../crypto/ids.ts";
import { SEND_KINDS } from "../../model/operations.ts";
import type { SendKind } from "../../model/operations.ts";
import type { PriceList } from "../../money/listed-price.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import type { Sample } from "../../sending/send-samples.ts";
import { otpText } from "../../text/otp-text.ts";
import { countSegments } from "../../text/segments.ts";
import { nameLetters } from "../../text/unicode.ts";
import built from "../built.json";
import { TestNumbers } from "../first-steps.tsx";
import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";
import { Card, Money, Notice, useMoney } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { firstSteps } from "../words/first-steps.ts";
import { send } from "../words/send.ts";
import { CheckButton, Figures } from "./figures.tsx";
import type { FormFigures } from "./form-figures.ts";
import { SampleCode } from "./number.tsx";

// The frame of the pages that send: kinds of sends, the result of a form, and the price of a text while it is typed.

/** Why a form was not sent. */
interface Refused extends FormFault {
  hint?: string | undefined;
  /** Whether more balance would help. */
  toBilling?: boolean | undefined;
}

/** The result of a form that was sent. */
interface Sent {
  message: string;
  spentUnits: number;
  balanceUnits: number | null;
  /** The id of the API's request; null when the reply was a replay. */
  requestId: string | null;
}

/** A recording that can be chosen, with the price of a call that plays it. */
export interface Playable {
  fileId: string;
  name: string;
  lengthText: string;
  units: number;
}

/** Everything that a page for sending shows. */
export interface Draft {
  kind: SendKind;
  typed: Typed;
  /** The form's `once`, if the form can be sent again under it. */
  once?: string | undefined;
  refused?: Refused | undefined;
  /** The number that the person is asked to confirm, in E.164. */
  confirm?: string | undefined;
  sent?: Sent | undefined;
  /** What it would send and cost, once it was checked. */
  figures?: FormFigures | undefined;
  /** Units per segment, OTP, call or started 30 s. */
  units: number;
  list?: PriceList | undefined;
  playable?: readonly Playable[] | undefined;
  /** The same request as a command for the API. */
  sample: Sample;
}

/**
 * Hidden fields of every form that sends: `once` makes it one send however often it is posted, and the mode is the one
 * that the page showed.
 */
export const SendFields: FC<{ once?: string | undefined }> = ({ once }) => (
  <>
    <input type="hidden" name="once" value={once ?? randomId("once")} />
    <input type="hidden" name="mode" value={useView().mode} />
  </>
);

const ICONS: Record<SendKind, IconName> = {
  sms: "phone",
  bulk: "inbox",
  international: "send",
  otp: "shield",
  tts: "call",
  voice: "recordings",
};

/** The kinds of sends, as links. */
export const Kinds: FC<{ kind: SendKind }> = ({ kind }) => {
  const t = useWords(send);
  const { at } = useView();
  return (
    <nav class="kinds" aria-label={t.kinds}>
      {SEND_KINDS.map((one) => (
        <a href={at(`/send/${one}`)} {...(one === kind && { "aria-current": "page" })}>
          <Icon name={ICONS[one]} />
          {t.kind[one]}
        </a>
      ))}
    </nav>
  );
};

/** Reports that it was sent, or why not. */
export const SendOutcome: FC<Pick<Draft, "sent" | "refused">> = ({ sent, refused }) => {
  const t = useWords(send);
  const { onPhone } = useWords(firstSteps);
  const { at, caught } = useView();
  if (refused) {
    return (
      <Notice tone="bad">
        <p>{refused.error}</p>
        {refused.hint !== undefined && <p>{refused.hint}</p>}
        {refused.toBilling && (
          <p>
            <a href={at("/billing")}>{t.addMoney}</a>
          </p>
        )}
      </Notice>
    );
  }
  if (!sent) return null;
  const query = sent.requestId === null ? "" : `?q=${encodeURIComponent(`request:${sent.requestId}`)}`;
  return (
    <Notice tone="ok" focused>
      <p>{sent.message}</p>
      {sent.requestId === null && <p>{t.replayed}</p>}
      <p>
        <Money units={sent.spentUnits} /> {t.done}
        {sent.balanceUnits !== null && (
          <>
            {" · "}
            {t.balance} <Money units={sent.balanceUnits} />
          </>
        )}
        {" · "}
        <a href={at(`/activity${query}`)}>{t.see}</a>
        {caught && (
          <>
            {" · "}
            <a href={at(`/inbox${query}`)}>{onPhone}</a>
          </>
        )}
      </p>
    </Notice>
  );
};

/** The sentences with which the script reports the result of any form that sends. */
export function useResultWords(): Record<`data-${string}`, string> {
  const t = useWords(send);
  return { "data-lost": t.lost, "data-reused": t.reused, "data-done": t.done, "data-money": t.addMoney };
}

/** The script of a form that sends, which follows its fields. */
export const ComposeScript: FC = () => (
  <script type="module" src={useView().at(`/assets/${built.entries["compose.js"]}`)} />
);

/** A form that sends; the script sends it without leaving the page. */
export const SendForm: FC<PropsWithChildren<{ draft: Draft; total: number | string; files?: boolean }>> = ({
  draft: { kind, typed, once, units, list, confirm, figures },
  total,
  files = false,
  children,
}) => {
  const t = useWords(send);
  const { onPhone } = useWords(firstSteps);
  const { at, caught } = useView();
  const money = useMoney();
  return (
    <form
      method="post"
      action={at(`/send/${kind}`)}
      class="stack"
      data-send=""
      data-check={at(`/send/${kind}/check`)}
      data-units={String(units)}
      {...(list && { "data-list": JSON.stringify(list) })}
      {...(files && { enctype: "multipart/form-data" })}
      {...useResultWords()}
      data-balance={t.balance}
      data-see={t.see}
      {...(caught && { "data-phone": onPhone })}
    >
      <SendFields once={once} />
      <ComposeScript />
      <input type="hidden" name="confirmed" value={confirm ?? ""} />
      {children}
      <Figures figures={figures} before={typed} />
      <button class="btn wide">
        <Icon name="send" />
        <span>{t.submit[kind]}</span>
        <span class="price" data-total="" data-varies={t.varies} data-none={t.notOffered}>
          {typeof total === "number" ? money(total) : total}
        </span>
      </button>
      <CheckButton kind={kind} />
    </form>
  );
};

/** The remaining length of a text; for SMS also encoding, segments, price, and the characters that force Unicode. */
export const Meter: FC<{ text: string; max: number; units?: number | undefined }> = ({ text, max, units }) => {
  const t = useWords(send);
  const money = useMoney();
  const left = max - [...text].length;
  const counter = (
    <span>
      <b data-left="" class={left < 0 ? "over" : ""}>
        {left}
      </b>{" "}
      {t.left}
    </span>
  );
  if (units === undefined) return <p class="meter">{counter}</p>;
  const { encoding, segments } = countSegments(text);
  return (
    <div class="stack tight">
      <p class="meter">
        {counter}
        <span data-encoding="">{encoding}</span>
        <span>
          <b data-segments="">{segments}</b> {t.sms}
        </span>
        <span>
          <b data-price="">{money(units * segments)}</b> {t.each}
        </span>
      </p>
      <div class="unicode" data-unicode="" hidden={encoding === "GSM-7"}>
        <p>{t.unicodeWhy}</p>
        <p class="letters" data-letters="">
          {nameLetters(text)}
        </p>
        <button type="button" class="btn quiet small" data-plain="" hidden>
          {t.usePlain}
        </button>
      </div>
    </div>
  );
};

/** An OTP's text, with the form's code and brand in it. */
const OtpEcho: FC<{ typed: Typed; brand: string }> = ({ typed, brand }) => {
  const [head = "", middle = "", tail = ""] = otpText("\0", "\0").split("\0");
  return (
    <>
      {head}
      <b data-echo="otp">{typed["otp"] ?? ""}</b>
      {middle}
      <span data-echo="brandName" data-empty={brand}>
        {typed["brandName"] || brand}
      </span>
      {tail}
    </>
  );
};

/** Beside a form: the text as a phone shows it, and the same request as a command for the API. */
export const Beside: FC<{ draft: Draft; brand: string }> = ({ draft: { kind, typed, sample }, brand }) => {
  const t = useWords(send);
  const field = kind === "tts" ? "text" : "message";
  return (
    <div class="stack">
      {kind !== "voice" && (
        <Card title={kind === "tts" ? t.spoken : t.preview}>
          <div class="handset">
            <p class="bubble" dir="auto">
              {kind === "otp" ? (
                <OtpEcho typed={typed} brand={brand} />
              ) : (
                <span data-echo={field} data-empty={t.previewEmpty}>
                  {typed[field] || t.previewEmpty}
                </span>
              )}
            </p>
          </div>
          {kind === "tts" && (
            <button type="button" class="btn quiet small listen" data-speak="" hidden>
              <Icon name="play" />
              {t.listen}
            </button>
          )}
        </Card>
      )}
      <Card title={t.byApi}>
        <SampleCode sample={sample} />
      </Card>
      {kind !== "bulk" && kind !== "international" && <TestNumbers kind={kind} />}
    </div>
  );
};
