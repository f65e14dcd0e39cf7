import type { FC } from "hono/jsx";
import {
  KIND_FIELDS,
  removeField,
  secretField,
  secretsAsked,
  settingField,
} from "../../../operator/carrier-set/form.ts";
import type { CarrierField, SetUpKind } from "../../../operator/carrier-set/form.ts";
import { Card, Choice, Field, Notice, faultAt } from "../../parts.tsx";
import type { FormFault } from "../../parts.tsx";
import { useView, useWords } from "../../view.ts";
import { shell } from "../../words/shell.ts";
import { Reading } from "./reading.tsx";
import type { ReadAloud } from "../../../operator/carrier-set/read-aloud.ts";
import { fill, useTexts, wordFor } from "./texts.ts";

// The form of a carrier: one for each kind, drawn from its table of fields.

/** A fault of the form; the API's own sentences are English on every page. */
export interface CarrierFault extends FormFault {
  lang?: "en";
}

interface Drawn {
  kind: SetUpKind;
  typed: Readonly<Record<string, string>>;
  fault: CarrierFault | undefined;
}

/** The ticks of a list. */
const Ticks: FC<{ field: CarrierField & { as: "some" } } & Drawn> = ({ field: { name, options }, typed, fault }) => {
  const { labels } = useTexts();
  const { operations } = useWords(shell);
  const chosen = (typed[settingField(name)] ?? "").split(" ");
  const error = faultAt(fault, settingField(name));
  return (
    <fieldset class="field ticks">
      <legend>{wordFor(labels, name)}</legend>
      {options.map((option) => (
        <label class="check">
          <input
            type="checkbox"
            name={`${settingField(name)}.${option}`}
            value="1"
            {...(chosen.includes(option) && { checked: true })}
          />{" "}
          {wordFor(operations, option)}
        </label>
      ))}
      {error !== undefined && (
        <p class="fault" lang="en">
          {error}
        </p>
      )}
    </fieldset>
  );
};

/** Lines of a JSON field: what stands in it, within reason. */
const rowsOf = (text: string): number => Math.min(16, Math.max(3, text.split("\n").length));

const Setting: FC<{ field: CarrierField } & Drawn> = ({ field, kind, typed, fault }) => {
  const { labels, hints, hintsOfKind } = useTexts();
  const name = settingField(field.name);
  const label = wordFor(labels, field.name);
  const words: Readonly<Record<string, string>> = { ...hints, ...hintsOfKind };
  const hint = words[`${kind}.${field.name}`] ?? words[field.name];
  switch (field.as) {
    case "choice": {
      const options = field.options.map((value) => ({ value, label: value }));
      return <Choice label={label} name={name} value={typed[name]} options={options} />;
    }
    case "some":
      return <Ticks field={field} kind={kind} typed={typed} fault={fault} />;
    case "yes":
      return (
        <label class="check">
          <input type="checkbox" name={name} value="1" {...(typed[name] === "1" && { checked: true })} /> {label}
        </label>
      );
    case "text":
    case "number":
    case "json":
      return (
        <Field
          label={label}
          name={name}
          value={typed[name]}
          type={field.as === "json" ? "textarea" : "text"}
          mono={field.as === "json"}
          {...(field.as === "json" && { rows: rowsOf(typed[name] ?? "") })}
          {...(field.as === "number" && { inputmode: "numeric" })}
          {...(hint !== undefined && { hint })}
          autocomplete="off"
          error={faultAt(fault, name)}
          errorLang={fault?.lang}
        />
      );
  }
};

const Secrets: FC<{ stored: readonly string[]; preset: string | undefined } & Drawn> = ({
  kind,
  typed,
  stored,
  fault,
  preset,
}) => {
  const { form: t, presets } = useTexts();
  const needed = fault?.field?.startsWith("secrets.") === true ? fault.field.slice("secrets.".length) : undefined;
  const asked = secretsAsked(kind, typed, stored, needed);
  const meanings = preset === undefined ? {} : (presets[preset]?.secrets ?? {});
  if (asked.length === 0) return null;
  return (
    <Card title={t.secrets}>
      <div class="stack">
        <p class="dim small">{t.secretsLead}</p>
        <div class="two">
          {asked.map((name) => (
            <div class="stack">
              <Field
                label={name}
                name={secretField(name)}
                type="password"
                autocomplete="new-password"
                hint={stored.includes(name) ? t.stored : t.notStored}
                error={faultAt(fault, secretField(name))}
                errorLang={fault?.lang}
              />
              {Object.hasOwn(meanings, name) && (
                <p class="hint" lang="en">
                  {meanings[name]}
                </p>
              )}
              {stored.includes(name) && (
                <label class="check">
                  <input type="checkbox" name={removeField(name)} value="1" /> {fill(t.remove, { name })}
                </label>
              )}
            </div>
          ))}
        </div>
      </div>
    </Card>
  );
};

/** What a description was written from: addresses, each with what of it was read. */
const Sources: FC<{ of: readonly string[] }> = ({ of }) => {
  const { form: t } = useTexts();
  const parts = of.map((source) => /^(https:\/\/\S+)(.*)$/u.exec(source) ?? [source, "", source]);
  return (
    <div class="dim small">
      <p>{t.sources}:</p>
      <ul class="deskeffects" lang="en">
        {parts.map(([, address = "", rest]) => (
          <li>
            {address !== "" && (
              <a class="deskwhy" href={address} rel="noreferrer">
                {address}
              </a>
            )}
            {rest}
          </li>
        ))}
      </ul>
    </div>
  );
};

/** The names that can stand in braces. */
const PLACEHOLDERS =
  "{ref} {to} {to_digits} {to10} {text} {sender} {flash} {unicode} {operation} {dlt_entity} {dlt_template} {dlt_category} {callback_url} {secret.NAME} {{";

/** What the form needs beside its fields. */
export interface CarrierFormProps extends Drawn {
  /** Of a carrier that is there; null for a new one. */
  name: string | null;
  stored: readonly string[];
  preset?: string | undefined;
  aloud?: ReadAloud | undefined;
}

/** Sets a carrier up: its fields, its secrets, and for a description what it would send and read. */
export const CarrierForm: FC<CarrierFormProps> = ({ name, kind, typed, fault, stored, preset, aloud }) => {
  const { form: t, presets } = useTexts();
  const { at } = useView();
  const drawn = { kind, typed, fault };
  const action = at(name === null ? "/desk/new-carrier" : `/desk/carriers/${name}`);
  const sources = preset === undefined ? [] : (presets[preset]?.sources ?? []);
  return (
    <form class="stack" method="post" action={action}>
      {fault !== undefined && (
        <Notice tone="bad">
          {t.mend}
          {fault.field === undefined && <p {...(fault.lang && { lang: fault.lang })}>{fault.error}</p>}
        </Notice>
      )}
      <input type="hidden" name="kind" value={kind} />
      {preset !== undefined && <input type="hidden" name="preset" value={preset} />}
      <Card title={t.settings}>
        <div class="stack">
          {sources.length > 0 && <Sources of={sources} />}
          {name === null && (
            <Field
              label={useTexts().list.name}
              name="name"
              value={typed["name"]}
              hint={t.nameHint}
              required
              maxlength={32}
              autocomplete="off"
              mono
              error={faultAt(fault, "name")}
            />
          )}
          <div class={kind === "template" ? "stack" : "two"}>
            {KIND_FIELDS[kind].map((field) => (
              <Setting field={field} {...drawn} />
            ))}
            <Field
              label={t.tps}
              name="tps"
              inputmode="numeric"
              value={typed["tps"]}
              hint={t.tpsHint}
              autocomplete="off"
              error={faultAt(fault, "tps")}
              errorLang={fault?.lang}
            />
          </div>
          {kind === "template" && (
            <p class="hint">
              {t.placeholders}: <code>{PLACEHOLDERS}</code>
            </p>
          )}
        </div>
      </Card>
      <Secrets stored={stored} preset={preset} {...drawn} />
      <div>
        <button class="btn" name="do" value="save">
          {t.save}
        </button>
      </div>
      {kind === "template" && <Reading action={action} typed={typed} aloud={aloud} />}
    </form>
  );
};
