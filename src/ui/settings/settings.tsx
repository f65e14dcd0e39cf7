import type { FC } from "hono/jsx";
import { GST_STATES } from "../../money/gstin.ts";
import { Card, Choice, Field, Notice, PageHead, faultAt } from "../parts.tsx";
import { ArchiveCard } from "./archives.tsx";
import { ClosingNotice, LeavingCard } from "./leaving.tsx";
import { Sessions } from "./sessions.tsx";
import { SignIn } from "./sign-in.tsx";
import type { SettingsProps } from "./sign-in.tsx";
import { SpendingCard } from "./spending.tsx";
import { useView, useWords } from "../view.ts";
import { settingsWords } from "../words/settings.ts";

// The settings page: a card for each thing that a person can change.

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
  const { saved, info, sessions, closing, rules } = props;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {saved !== undefined && <Notice tone="ok">{saved}</Notice>}
      {info !== undefined && <Notice tone="info">{info}</Notice>}
      {closing !== null && <ClosingNotice closing={closing} />}
      <div class="settings-grid">
        <div class="stack">
          <You {...props} />
          <SignIn {...props} />
        </div>
        <div class="stack">
          <Sessions sessions={sessions} />
          <Looks />
          <ArchiveCard />
        </div>
        {rules && <SpendingCard of={rules} unsaved={props.unsaved} />}
        <BuyerCard {...props} />
        <LeavingCard closing={closing} />
      </div>
    </>
  );
};
