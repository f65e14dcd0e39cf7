import type { FC } from "hono/jsx";
import { listedPrice } from "../money/listed-price.ts";
import { recipientsOf } from "../sending/send-kinds.ts";
import type { Recipients } from "../text/recipients.ts";
import { countSegments } from "../text/segments.ts";
import { FileField } from "./file-field.tsx";
import { count } from "./format.ts";
import { Choice, Empty, Field, Money } from "./parts.tsx";
import type { FieldProps } from "./parts.tsx";
import { Meter, SendForm } from "./send.tsx";
import type { Draft } from "./send.tsx";
import { useView, useWords } from "./view.ts";
import { send } from "./words/send.ts";

// One form per kind of send, with the fields that the API has (contract §5).

type Form = FC<{ draft: Draft }>;

/** A field with its typed value and, where the API refused it, the reason. */
const Typed: FC<{ draft: Draft } & FieldProps> = ({ draft: { typed, refused }, ...field }) => {
  const faulty = refused?.field?.replace(/\[\d+\]$/u, "") === field.name;
  return (
    <Field
      value={typed[field.name] ?? ""}
      {...field}
      {...(faulty && { error: [refused?.error, refused?.hint].filter(Boolean).join(" "), autofocus: true })}
    />
  );
};

const IndianPhone: FC<{ draft: Draft; name: string; label: string; hint: string }> = (field) => (
  <Typed {...field} prefix="+91" required inputmode="tel" autocomplete="off" placeholder="9876543210" />
);

const Message: FC<{ draft: Draft; units: number }> = ({ draft, units }) => {
  const t = useWords(send);
  return (
    <div class="stack tight">
      <Typed
        draft={draft}
        name="message"
        label={t.message}
        type="textarea"
        required
        data={{ "data-max": "160", "data-clear": "" }}
      />
      <Meter text={draft.typed["message"] ?? ""} max={160} units={units} />
    </div>
  );
};

const Sender: Form = ({ draft }) => {
  const t = useWords(send);
  return <Typed draft={draft} name="senderId" label={t.senderId} hint={t.senderHint} autocomplete="off" />;
};

const segmentsOf = ({ typed }: Draft) => countSegments(typed["message"] ?? "").segments;

const SmsForm: Form = ({ draft }) => {
  const t = useWords(send);
  return (
    <SendForm draft={draft} total={draft.units * segmentsOf(draft)}>
      <IndianPhone draft={draft} name="phone" label={t.phone} hint={t.phoneHint} />
      <Message draft={draft} units={draft.units} />
      <Sender draft={draft} />
    </SendForm>
  );
};

/** A CSV can have thousands of bad lines, most with one cause, which the first few show. */
const FAULTS_SHOWN = 20;

/** A cell can be as long as its file. */
const FAULT_TEXT_LENGTH = 40;

/** The result of reading a list: how many numbers, how many duplicates, and every line with a fault. */
export const FoundNumbers: FC<{ found: Recipients }> = ({ found: { numbers, duplicates, faults } }) => {
  const t = useWords(send);
  const { lang } = useView();
  return (
    <div class="stack tight" data-found={String(numbers.length)} data-bad={String(faults.length)} aria-live="polite">
      <p class="meter">
        <span>
          {t.found}: <b>{count(numbers.length, lang)}</b>
        </span>
        {duplicates > 0 && (
          <span>
            {t.twice}: <b>{count(duplicates, lang)}</b>
          </span>
        )}
        {faults.length > 0 && (
          <span class="over">
            {t.badLines}: <b>{count(faults.length, lang)}</b>
          </span>
        )}
      </p>
      {faults.length > 0 && (
        <ul class="faults" tabindex={0} aria-label={t.badLines}>
          {faults.slice(0, FAULTS_SHOWN).map(({ line, text, reason }) => (
            <li>
              {t.line} {line}: <bdi>{text.slice(0, FAULT_TEXT_LENGTH)}</bdi> – {t.reasons[reason]}
            </li>
          ))}
          {faults.length > FAULTS_SHOWN && <li>…</li>}
        </ul>
      )}
    </div>
  );
};

const BulkForm: Form = ({ draft }) => {
  const t = useWords(send);
  const { at } = useView();
  const found = recipientsOf(draft.typed);
  return (
    <SendForm draft={draft} total={draft.units * segmentsOf(draft) * found.numbers.length} files>
      <Typed
        draft={draft}
        name="recipients"
        label={t.recipients}
        hint={t.recipientsHint}
        type="textarea"
        autocomplete="off"
        mono
        data={{ "data-check": at("/send/bulk/check"), "data-clear": "" }}
      />
      <FileField
        name="file"
        label={t.file}
        hint={t.fileHint}
        data={{ "data-csv": "", "data-clear": "" }}
        accept=".csv,.tsv,.txt,text/csv,text/plain"
      />
      <FoundNumbers found={found} />
      <label class="check" hidden={found.faults.length === 0}>
        <input type="checkbox" name="skip" value="1" {...(draft.typed["skip"] !== undefined && { checked: true })} />
        {t.skip}
      </label>
      <Message draft={draft} units={draft.units} />
      <Sender draft={draft} />
    </SendForm>
  );
};

const InternationalForm: Form = ({ draft }) => {
  const t = useWords(send);
  const price = draft.list ? listedPrice(draft.list, draft.typed["phone"] ?? "") : draft.units;
  const total = price === null ? t.notOffered : price === "varies" ? t.varies : price * segmentsOf(draft);
  return (
    <SendForm draft={draft} total={total}>
      <Typed
        draft={draft}
        name="phone"
        label={t.abroad}
        hint={t.abroadHint}
        required
        inputmode="tel"
        autocomplete="off"
        placeholder="+14155550132"
      />
      <Message draft={draft} units={typeof price === "number" ? price : draft.units} />
      <label class="check">
        <input
          type="checkbox"
          name="isFlash"
          value="1"
          {...(draft.typed["isFlash"] !== undefined && { checked: true })}
        />
        {t.flash}
      </label>
      <Sender draft={draft} />
    </SendForm>
  );
};

const OtpForm: Form = ({ draft }) => {
  const t = useWords(send);
  return (
    <SendForm draft={draft} total={draft.units}>
      <IndianPhone draft={draft} name="phone" label={t.phone} hint={t.phoneHint} />
      <div class="two">
        <Typed
          draft={draft}
          name="otp"
          label={t.otp}
          hint={t.otpHint}
          required
          mono
          inputmode="numeric"
          autocomplete="off"
        />
        <Typed draft={draft} name="brandName" label={t.brand} autocomplete="off" />
      </div>
    </SendForm>
  );
};

/** A select field whose options come from the page's words. */
const Listed: FC<{
  draft: Draft;
  name: string;
  label: string;
  usual: string;
  options: Record<string, string>;
  order?: readonly string[];
}> = ({ draft, name, label, usual, options, order = Object.keys(options) }) => (
  <Choice
    name={name}
    label={label}
    value={draft.typed[name] ?? usual}
    options={order.map((value) => ({ value, label: options[value] ?? value }))}
  />
);

const TtsForm: Form = ({ draft }) => {
  const t = useWords(send);
  return (
    <SendForm draft={draft} total={draft.units}>
      <IndianPhone draft={draft} name="callee" label={t.callee} hint={t.calleeHint} />
      <div class="stack tight">
        <Typed
          draft={draft}
          name="text"
          label={t.text}
          type="textarea"
          required
          data={{ "data-max": "250", "data-clear": "" }}
        />
        <Meter text={draft.typed["text"] ?? ""} max={250} />
      </div>
      <div class="pairs">
        <Listed draft={draft} name="language" label={t.language} usual="EN" options={t.languages} />
        <Listed
          draft={draft}
          name="accent"
          label={t.accent}
          usual="91"
          options={t.accents}
          order={["91", "1", "44", "61"]}
        />
        <Listed draft={draft} name="ssmlGender" label={t.voice} usual="2" options={t.voices} order={["2", "1"]} />
        <Listed
          draft={draft}
          name="speakingRate"
          label={t.rate}
          usual="1"
          options={t.rates}
          order={["0.5", "0.8", "1", "1.2", "1.5", "2"]}
        />
      </div>
    </SendForm>
  );
};

const VoiceForm: Form = ({ draft }) => {
  const t = useWords(send);
  const { at } = useView();
  const { playable = [], typed, refused } = draft;
  if (playable.length === 0) {
    return (
      <Empty icon="recordings" title={t.noRecordings}>
        <p>{t.noRecordingsHint}</p>
        <a class="btn" href={at("/recordings")}>
          {t.uploadOne}
        </a>
      </Empty>
    );
  }
  const chosen = playable.find(({ fileId }) => fileId === typed["fileId"]) ?? playable[0];
  return (
    <SendForm draft={draft} total={chosen?.units ?? draft.units}>
      <Typed
        draft={draft}
        name="callee"
        label={t.dialled}
        hint={t.dialledHint}
        required
        inputmode="tel"
        autocomplete="off"
        placeholder="919876543210"
      />
      <div class="field">
        <label for="f-fileId">{t.recording}</label>
        <select id="f-fileId" name="fileId" {...(refused?.field === "fileId" && { "aria-invalid": "true" })}>
          {playable.map(({ fileId, name, lengthText, units }) => (
            <option value={fileId} data-units={String(units)} {...(fileId === chosen?.fileId && { selected: true })}>
              {`${name} · ${lengthText}`}
            </option>
          ))}
        </select>
        <p class="hint">
          <Money units={draft.units} /> {t.per30s} · <a href={at("/recordings")}>{t.uploadOne}</a>
        </p>
      </div>
    </SendForm>
  );
};

const FORMS: Record<Draft["kind"], Form> = {
  sms: SmsForm,
  bulk: BulkForm,
  international: InternationalForm,
  otp: OtpForm,
  tts: TtsForm,
  voice: VoiceForm,
};

/** The form of a kind. */
export const FormOf: Form = ({ draft }) => {
  const Own = FORMS[draft.kind];
  return <Own draft={draft} />;
};
