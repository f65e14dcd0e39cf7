import type { FC } from "hono/jsx";
import type { Person, SessionView } from "../../model/person.ts";
import type { RulesView } from "../../model/rules/rules.ts";
import { phoneText } from "../format.ts";
import { Card, Field, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { NextField } from "../sign-in.tsx";
import { useView, useWords } from "../view.ts";
import type { Closing } from "./leaving.tsx";
import { peopleWords } from "../words/people.ts";
import { settingsWords } from "../words/settings.ts";

// The card of the settings page with phone, e-mail and password.

export interface SettingsProps {
  person: Person;
  sessions: SessionView[];
  /** The closing of the account, while it can be taken back. */
  closing: Closing | null;
  /** What the account may send; null where it was never opened. */
  rules: RulesView | null;
  /** Whether the person authenticated recently enough to change phone, e-mail or password. */
  fresh: boolean;
  /** Whether they answered a code to their phone recently enough to change it. */
  phoneFresh: boolean;
  /** What was saved, in a sentence. */
  saved?: string | undefined;
  /** What to know or do next, in a sentence. */
  info?: string | undefined;
  unsaved?: Unsaved | undefined;
}

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

const LostPhone: FC = () => (
  <a class="ghost" href={useView().at("/settings/phone/lost")}>
    {useWords(peopleWords).lostPhone}
  </a>
);

/** The step before a change of phone: a code to the present one. */
const OldPhone: FC<{ phone: string }> = ({ phone }) => {
  const t = useWords(peopleWords);
  const { at } = useView();
  return (
    <form method="post" action={at("/confirm/send")} class="stack">
      <NextField next="/settings#sign-in" />
      <p class="dim small">{t.oldPhoneFirst(phoneText(phone))}</p>
      <div class="actions">
        <button class="btn quiet">{t.askOldPhone}</button>
        <LostPhone />
      </div>
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

/** How the person signs in, and the forms that change it. */
export const SignIn: FC<SettingsProps> = (props) => {
  const t = useWords(settingsWords);
  const { at } = useView();
  const { person, fresh, phoneFresh } = props;
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
            {person.phone === null || phoneFresh ? <PhoneForm {...props} /> : <OldPhone phone={person.phone} />}
            <LoginForm {...props} />
          </>
        ) : (
          <>
            <p class="dim small">{t.confirmHint}</p>
            <p class="actions">
              <a class="btn quiet" href={at(`/confirm?next=${encodeURIComponent("/settings#sign-in")}`)}>
                {t.confirmFirst}
              </a>
              {person.phone !== null && <LostPhone />}
            </p>
          </>
        )}
      </div>
    </Card>
  );
};
