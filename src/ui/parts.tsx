import type { Child, FC, PropsWithChildren } from "hono/jsx";
import { randomId } from "../crypto/ids.ts";
import type { MessageState, Operation } from "../model/message.ts";
import { rupees, moneyText, timeText } from "./format.ts";
import type { TimeStyle } from "./format.ts";
import { Icon } from "./icons.tsx";
import type { IconName } from "./icons.tsx";
import { useView, useWords } from "./view.ts";
import { shell } from "./words/shell.ts";

// The components that pages share.

/** A page's head: its one h1, a sentence, and its actions. */
export const PageHead: FC<PropsWithChildren<{ title: string; lead?: string }>> = ({ title, lead, children }) => (
  <div class="pagehead">
    <div>
      <h1>{title}</h1>
      {lead !== undefined && <p class="dim">{lead}</p>}
    </div>
    {children !== undefined && <div class="actions">{children}</div>}
  </div>
);

/** A card; its title is an h2, with `extra` to the right of it. */
export const Card: FC<PropsWithChildren<{ title?: string; extra?: Child; class?: string; id?: string }>> = ({
  title,
  extra,
  children,
  id,
  ...props
}) => (
  <section class={`card ${props.class ?? ""}`} {...(id !== undefined && { id })}>
    {title !== undefined && (
      <div class="cardhead">
        <h2>{title}</h2>
        {extra}
      </div>
    )}
    {children}
  </section>
);

/** Shown in place of an empty list: why it is empty, and the next step. */
export const Empty: FC<PropsWithChildren<{ icon: IconName; title: string }>> = ({ icon, title, children }) => (
  <div class="empty">
    <Icon name={icon} />
    <p>
      <b>{title}</b>
    </p>
    {children}
  </div>
);

/** A notice after an action: success, failure or information. */
export const Notice: FC<PropsWithChildren<{ tone: "ok" | "bad" | "info"; focused?: boolean }>> = ({
  tone,
  focused = false,
  children,
}) => (
  <div
    class={`notice ${tone}`}
    role={tone === "bad" ? "alert" : "status"}
    {...(focused && { tabindex: -1, autofocus: true })}
  >
    {children}
  </div>
);

const TONE: Record<MessageState, "ok" | "bad" | "wait" | "warn"> = {
  scheduled: "wait",
  queued: "wait",
  sending: "wait",
  submitted: "wait",
  delivered: "ok",
  undelivered: "bad",
  unconfirmed: "warn",
  failed: "bad",
  unknown: "warn",
  cancelled: "warn",
};

/** The state of a message, as a word and a colour. */
export const StateBadge: FC<{ state: MessageState }> = ({ state }) => (
  <span class={`pill ${TONE[state]}`} data-state={state}>
    {useWords(shell).states[state]}
  </span>
);

/** The kind of a message, as a word and a colour. */
export const Kind: FC<{ operation: Operation }> = ({ operation }) => (
  <span class={`kind ${operation}`}>{useWords(shell).operations[operation]}</span>
);

/** An amount in units; `real` where it is money in any mode, as on orders. */
export const Money: FC<{ units: number; real?: boolean }> = ({ units, real = false }) => {
  const { lang } = useView();
  const money = useMoney();
  return <span class="money">{real ? rupees(units, lang) : money(units)}</span>;
};

/** Writes units as this page does (`moneyText`). */
export function useMoney(): (units: number) => string {
  const { lang, mode } = useView();
  return (units) => moneyText(units, lang, mode);
}

/** A time in India; the script adds the reader's own as its title. */
export const Time: FC<{ at: number; style?: TimeStyle }> = ({ at, style = "full" }) => (
  <time datetime={new Date(at).toISOString()} data-style={style}>
    {timeText(at, style, useView().lang)}
  </time>
);

export interface FieldProps {
  label: string;
  name: string;
  value?: string | undefined;
  type?: string;
  hint?: string;
  /** What is wrong with it, in a sentence. */
  error?: string | undefined;
  /** Where the sentence is English in every language. */
  errorLang?: "en" | undefined;
  required?: boolean;
  placeholder?: string;
  /** Shown before the input, such as +91. */
  prefix?: string;
  inputmode?: string;
  pattern?: string;
  maxlength?: number;
  autocomplete?: string;
  /** Attributes for the browser's script. */
  data?: Record<`data-${string}`, string>;
  autofocus?: boolean;
  mono?: boolean;
  /** Lines of a `textarea`. */
  rows?: number;
  /** For pages on which two forms have a field of the same name. */
  id?: string;
}

/** What is wrong with a form: a sentence, and the field that is at fault, if it is a single one. */
export interface FormFault {
  error: string;
  field?: string | undefined;
}

/** A form that was refused, with what was typed. */
export interface Unsaved extends FormFault {
  typed: Readonly<Record<string, string>>;
}

/** The sentence that belongs beside a field. */
export const faultAt = (fault: FormFault | undefined, field: string): string | undefined =>
  fault?.field === field ? fault.error : undefined;

/** A field of a form with its label, hint and fault. `type="textarea"` gives it several lines. */
export const Field: FC<FieldProps> = ({
  label,
  hint,
  error,
  errorLang,
  prefix,
  data,
  mono,
  id,
  type = "text",
  value,
  ...input
}) => {
  const own = id ?? `f-${input.name}`;
  const describedBy = [hint !== undefined && `${own}-hint`, error !== undefined && `${own}-error`]
    .filter(Boolean)
    .join(" ");
  const attributes = {
    id: own,
    ...input,
    ...data,
    ...(mono && { class: "mono" }),
    ...(describedBy !== "" && { "aria-describedby": describedBy }),
    ...(error !== undefined && { "aria-invalid": "true" }),
  };
  const control =
    type === "textarea" ? (
      <textarea rows={4} {...(attributes as object)}>
        {value ?? ""}
      </textarea>
    ) : (
      <input type={type} {...(value !== undefined && { value })} {...(attributes as object)} />
    );
  return (
    <div class="field">
      <label for={own}>{label}</label>
      {prefix === undefined ? (
        control
      ) : (
        <div class="prefix">
          <i>{prefix}</i>
          {control}
        </div>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${own}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="fault" id={`${own}-error`} {...(errorLang && { lang: errorLang })}>
          {error}
        </p>
      )}
    </div>
  );
};

/** A select field. */
export const Choice: FC<{
  label: string;
  name: string;
  value?: string | undefined;
  options: readonly { value: string; label: string }[];
  data?: Record<`data-${string}`, string>;
}> = ({ label, name, value, options, data }) => (
  <div class="field">
    <label for={`f-${name}`}>{label}</label>
    <select id={`f-${name}`} name={name} {...data}>
      {options.map((option) => (
        <option value={option.value} {...(option.value === value && { selected: true })}>
          {option.label}
        </option>
      ))}
    </select>
  </div>
);

/** A button that copies a text; without the script, the text itself can be selected. */
export const CopyButton: FC<{ text: string; label?: string }> = ({ text, label }) => {
  const t = useWords(shell);
  return (
    <button type="button" class="ghost" data-copy={text} aria-label={label ?? t.copy}>
      <Icon name="copy" />
      <span>{t.copy}</span>
    </button>
  );
};

/** A command or a body, with a button that copies it. */
export const Code: FC<{ text: string; label: string }> = ({ text, label }) => (
  <div class="code">
    <div class="codebar">
      <span>{label}</span>
      <CopyButton text={text} label={`${useWords(shell).copy}: ${label}`} />
    </div>
    <pre tabindex={0}>{text}</pre>
  </div>
);

/** The link to the next page of a list. */
export const Older: FC<{ href: string }> = ({ href }) => (
  <p class="older">
    <a class="btn quiet" href={href} rel="next">
      {useWords(shell).next}
    </a>
  </p>
);

/** Makes a form one send, however often it is posted: the value becomes the request's Idempotency-Key. */
export const OnceField: FC = () => <input type="hidden" name="once" value={randomId("once")} />;
