import type { FC } from "hono/jsx";
import { listedPrice } from "../../money/listed-price.ts";
import { numberOf, recipientsOf } from "../../sending/send-kinds.ts";
import { countSegments } from "../../text/segments.ts";
import { FileField } from "../file-field.tsx";
import { Empty, Money } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { send } from "../words/send.ts";
import { IndianPhone, Later, Listed, Message, Phone, Sender, Typed } from "./fields.tsx";
import { FoundNumbers } from "./found-numbers.tsx";
import { Meter, SendForm } from "./frame.tsx";
import type { Draft } from "./frame.tsx";

// One form per kind of send, with the fields that the API has (contract §5).

type Form = FC<{ draft: Draft }>;

const segmentsOf = ({ typed }: Draft) => countSegments(typed["message"] ?? "").segments;

const SmsForm: Form = ({ draft }) => {
  const t = useWords(send);
  return (
    <SendForm draft={draft} total={draft.units * segmentsOf(draft)}>
      <IndianPhone draft={draft} name="phone" label={t.phone} hint={t.phoneHint} />
      <Message draft={draft} units={draft.units} />
      <Sender draft={draft} />
      <Later draft={draft} />
    </SendForm>
  );
};

const BulkForm: Form = ({ draft }) => {
  const t = useWords(send);
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
        data={{ "data-clear": "" }}
      />
      <FileField
        name="file"
        label={t.file}
        hint={t.fileHint}
        data={{ "data-csv": t.workbook, "data-clear": "" }}
        error={draft.refused?.field === "file" ? draft.refused.error : undefined}
        accept=".csv,.tsv,.txt,text/csv,text/plain"
      />
      <FoundNumbers found={found} />
      <label class="check" hidden={found.faults.length === 0}>
        <input type="checkbox" name="skip" value="1" {...(draft.typed["skip"] !== undefined && { checked: true })} />
        {t.skip}
      </label>
      <Message draft={draft} units={draft.units} />
      <Sender draft={draft} />
      <Later draft={draft} />
    </SendForm>
  );
};

const InternationalForm: Form = ({ draft }) => {
  const t = useWords(send);
  const read = numberOf("international", draft.typed);
  const to = read?.ok ? read.number : (draft.typed["phone"] ?? "");
  const price = draft.list ? listedPrice(draft.list, to) : draft.units;
  const total = price === null ? t.notOffered : price === "varies" ? t.varies : price * segmentsOf(draft);
  return (
    <SendForm draft={draft} total={total}>
      <Phone draft={draft} name="phone" label={t.abroad} hint={t.abroadHint} placeholder="+14155550132" />
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
      <Later draft={draft} />
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
      <Later draft={draft} />
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
      <Phone draft={draft} name="callee" label={t.dialled} hint={t.dialledHint} placeholder="919876543210" />
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
      <Later draft={draft} />
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
