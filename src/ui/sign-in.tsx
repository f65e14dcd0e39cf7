import type { FC, PropsWithChildren } from "hono/jsx";
import { PRODUCT } from "../config/settings.ts";
import { BotCheckBox } from "./bot-check.tsx";
import type { BotCheckProps } from "./bot-check.tsx";
import { phoneText } from "./format.ts";
import { Icon, Mark } from "./icons.tsx";
import { Preferences } from "./layout.tsx";
import { Field, Notice } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { signIn } from "./words/sign-in.ts";

// The parts of the pages for signing in, signing up and confirming: one card, and the forms in it.

/** The card, below the product's name and slogan. */
export const GateCard: FC<PropsWithChildren<{ title: string; lead?: string; error?: string | undefined }>> = ({
  title,
  lead,
  error,
  children,
}) => {
  const t = useWords(signIn);
  return (
    <div class="gate-column">
      <div class="gate-brand">
        <Mark />
        <b>{PRODUCT}</b>
        <p class="dim">{t.promise}</p>
      </div>
      <section class="card stack">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p class="dim">{lead}</p>}
        </div>
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        {children}
      </section>
      <Preferences />
    </div>
  );
};

/** A separator between two alternatives. */
export const Or: FC = () => <p class="gate-or">{useWords(signIn).or}</p>;

export const NextField: FC<{ next: string }> = ({ next }) => <input type="hidden" name="next" value={next} />;

export const PhoneField: FC<{ value?: string | undefined; error?: string | undefined; autofocus?: boolean }> = (
  props,
) => {
  const t = useWords(signIn);
  return (
    <Field
      label={t.phone}
      name="phone"
      type="tel"
      prefix="+91"
      hint={t.phoneHint}
      inputmode="tel"
      autocomplete="tel"
      placeholder="98765 43210"
      required
      {...props}
    />
  );
};

/** Asks for the code that was sent; posts it to `action`, and a request for another code to `resend`. */
export const CodeForm: FC<{
  action: string;
  resend: string;
  next?: string;
  phone: string;
  /** Whether another code was just sent in place of the last one. */
  again?: boolean;
  error?: string | undefined;
  /** What another code requires of this browser. */
  check?: BotCheckProps | undefined;
}> = ({ action, resend, next, phone, again = false, error, check }) => {
  const t = useWords(signIn);
  const { at, local } = useView();
  return (
    <>
      <p class="dim gate-lead">{t.codeLead(phoneText(phone))}</p>
      {again && error === undefined && <Notice tone="ok">{t.codeSent}</Notice>}
      <form method="post" action={at(action)} class="stack">
        {next !== undefined && <NextField next={next} />}
        <div class="gate-code">
          <Field
            label={t.code}
            name="code"
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={12}
            required
            autofocus
            mono
            error={error}
          />
        </div>
        <button class="btn wide">{t.codeSubmit}</button>
      </form>
      {local && (
        <>
          {/* The inbox cannot be asked for a number that this page masks. */}
          {/^\+\d+$/u.test(phone) && (
            <button
              type="button"
              class="btn quiet wide"
              hidden
              data-code-for={phoneText(phone)}
              data-none={t.noCodeYet}
            >
              <Icon name="phone" />
              {t.useCode}
            </button>
          )}
          <a class="ghost" href={at("/inbox")} target="_blank" rel="noopener">
            <Icon name="inbox" />
            {t.inbox}
          </a>
        </>
      )}
      <form method="post" action={at(resend)} class="gate-links">
        {next !== undefined && <NextField next={next} />}
        {check && <BotCheckBox {...check} />}
        <button class="ghost">
          <Icon name="rotate" />
          {t.resend}
        </button>
      </form>
    </>
  );
};
