import type { FC } from "hono/jsx";
import type { Person, SessionView } from "../model/person.ts";
import { GST_STATES } from "../money/gstin.ts";
import { phoneText } from "./format.ts";
import { Card, Choice, Field, Notice, PageHead, Time, faultAt } from "./parts.tsx";
import type { Unsaved } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { auditWords } from "./words/audit.ts";
import { settingsWords } from "./words/settings.ts";
import type { Saved } from "./words/settings.ts";

// The settings page: a card for each thing that a person can change.

interface SettingsProps {
  person: Person;
  sessions: SessionView[];
  /** Whether the person authenticated recently enough to change phone, e-mail or password. */
  fresh: boolean;
  saved?: Saved | undefined;
  /** Whether the e-mail of a sign-up could not be added. */
  emailNote?: boolean;
  unsaved?: Unsaved | undefined;
}

const You: FC<SettingsProps> = ({ person }) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  return (
    <Card title={t.you}>
      <form method="post" action={at("/settings/name")} class="settings-line">
        <Field label={t.name} name="name" value={person.name} autocomplete="name" maxlength={80} />
        <button class="btn quiet">{t.save}</button>
      </form>
    </Card>
  );
};

const PhoneForm: FC<SettingsProps> = ({ unsaved }) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  return (
    <form method="post" action={at("/settings/phone")} class="stack">
      <Field
        label={t.newPhone}
        name="phone"
        type="tel"
        prefix="+91"
        hint={t.newPhoneHint}
        value={unsaved?.typed["phone"]}
        inputmode="tel"
        autocomplete="tel"
        required
        error={faultAt(unsaved, "phone")}
      />
      <p>
        <button class="btn quiet">{t.changePhone}</button>
      </p>
    </form>
  );
};

const LoginForm: FC<SettingsProps> = ({ person, unsaved }) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  const first = person.password === null;
  return (
    <form method="post" action={at("/settings/login")} class="stack">
      <div class="two">
        <Field
          label={t.email}
          name="email"
          type="email"
          value={unsaved?.typed["email"] ?? person.email ?? ""}
          autocomplete="username"
          required
          error={faultAt(unsaved, "email")}
        />
        <Field
          label={first ? t.password : t.newPassword}
          name="password"
          type="password"
          {...(!first && { hint: t.newPasswordHint })}
          autocomplete="new-password"
          required={first}
          error={faultAt(unsaved, "password")}
        />
      </div>
      <p>
        <button class="btn quiet">{t.changeLogin}</button>
      </p>
    </form>
  );
};

const SignIn: FC<SettingsProps> = (props) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  const { person, fresh } = props;
  return (
    <Card title={t.signIn} id="sign-in">
      <div class="stack">
        <dl class="facts">
          <dt>{t.phone}</dt>
          <dd class="num">{person.phone === null ? t.none : phoneText(person.phone)}</dd>
          <dt>{t.email}</dt>
          <dd>{person.email ?? t.none}</dd>
          <dt>{t.password}</dt>
          <dd>{person.password === null ? t.none : "••••••••••"}</dd>
        </dl>
        {fresh ? (
          <>
            <PhoneForm {...props} />
            <LoginForm {...props} />
          </>
        ) : (
          <>
            <p class="dim small">{t.confirmHint}</p>
            <p>
              <a class="btn quiet" href={at(`/confirm?next=${encodeURIComponent("/settings#sign-in")}`)}>
                {t.confirmFirst}
              </a>
            </p>
          </>
        )}
      </div>
    </Card>
  );
};

const Sessions: FC<SettingsProps> = ({ sessions }) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  return (
    <Card title={t.sessions}>
      <ul class="settings-sessions">
        {sessions.map(({ device, current, createdAt, seenAt }) => (
          <li>
            <p>
              <b>{device === "" ? t.unknownDevice : device}</b>{" "}
              {current && <span class="pill ok">{t.thisBrowser}</span>}
            </p>
            <p class="dim small">
              {t.signedInAt} <Time at={createdAt} /> · {t.lastUse} {current ? t.now : <Time at={seenAt} />}
            </p>
          </li>
        ))}
      </ul>
      <div class="actions">
        <a class="btn quiet" href={at("/settings/activity")}>
          {useWords(auditWords).logLink}
        </a>
        {sessions.length > 1 && (
          <form method="post" action={at("/settings/sessions")}>
            <button class="btn quiet">{t.endOthers}</button>
          </form>
        )}
        <form method="post" action={at("/sign-out/everywhere")}>
          <button class="btn danger">{t.everywhere}</button>
        </form>
      </div>
    </Card>
  );
};

/** A preference of the reader, with a button for each value. */
const Look: FC<{ label: string; name: string; value: string; options: readonly (readonly [string, string])[] }> = ({
  label,
  name,
  value,
  options,
}) => {
  const { at } = useView();
  return (
    <form method="post" action={at("/preferences")} class="field">
      <input type="hidden" name="next" value="/settings" />
      <span class="settings-label" id={`look-${name}`}>
        {label}
      </span>
      <div class="modes" role="group" aria-labelledby={`look-${name}`}>
        {options.map(([option, text]) => (
          <button
            class="ghost"
            name={name}
            value={option}
            aria-pressed={String(option === value)}
            {...(name === "lang" && { lang: option })}
          >
            {text}
          </button>
        ))}
      </div>
    </form>
  );
};

const Looks: FC = () => {
  const t = useWords(settingsWords);
  const { lang, theme } = useView();
  const languages = [
    ["en", "English"],
    ["hi", "हिन्दी"],
  ] as const;
  const themes = [
    ["system", t.system],
    ["light", t.light],
    ["dark", t.dark],
  ] as const;
  return (
    <Card title={t.looks}>
      <div class="stack">
        <Look label={t.language} name="lang" value={lang} options={languages} />
        <Look label={t.colours} name="theme" value={theme ?? "system"} options={themes} />
      </div>
    </Card>
  );
};

const BuyerCard: FC<SettingsProps> = ({ person, unsaved }) => {
  const t = useWords(settingsWords);
  const { at, lang } = useView();
  const typed = unsaved?.typed;
  const { name, address, state, gstin } = person.buyer ?? { name: "", address: "", state: "", gstin: "" };
  const states = GST_STATES.map((one) => ({ value: one.code, label: `${one[lang]} (${one.code})` }));
  const fault = (field: string) => faultAt(unsaved, field);
  return (
    <Card title={t.buyer} id="invoice">
      <form method="post" action={at("/settings/buyer")} class="stack">
        <p class="dim small">{t.buyerLead}</p>
        <Field
          label={t.buyerName}
          name="buyer_name"
          value={typed?.["buyer_name"] ?? name}
          autocomplete="organization"
          maxlength={120}
          error={fault("buyer_name")}
        />
        <Field
          label={t.buyerAddress}
          name="buyer_address"
          type="textarea"
          value={typed?.["buyer_address"] ?? address}
          autocomplete="street-address"
          maxlength={300}
          error={fault("buyer_address")}
        />
        <div class="two">
          <div>
            <Choice
              label={t.buyerState}
              name="buyer_state"
              value={typed?.["buyer_state"] ?? state}
              options={[{ value: "", label: t.chooseState }, ...states]}
            />
            {fault("buyer_state") !== undefined && <p class="fault">{fault("buyer_state")}</p>}
          </div>
          <Field
            label={t.gstin}
            name="buyer_gstin"
            value={typed?.["buyer_gstin"] ?? gstin}
            maxlength={20}
            mono
            error={fault("buyer_gstin")}
          />
        </div>
        <p>
          <button class="btn quiet">{t.save}</button>
        </p>
      </form>
    </Card>
  );
};

/** The whole settings page. */
export const SettingsPage: FC<SettingsProps> = (props) => {
  const t = useWords(settingsWords);
  const { saved, emailNote } = props;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {saved !== undefined && <Notice tone="ok">{t.saved[saved]}</Notice>}
      {emailNote && <Notice tone="info">{t.emailNote}</Notice>}
      <div class="settings-grid">
        <div class="stack">
          <You {...props} />
          <SignIn {...props} />
        </div>
        <div class="stack">
          <Sessions {...props} />
          <Looks />
        </div>
        <BuyerCard {...props} />
      </div>
    </>
  );
};
