import type { FC } from "hono/jsx";
import { Choice, Field } from "../parts.tsx";
import type { FieldProps } from "../parts.tsx";
import { useWords } from "../view.ts";
import { schedule } from "../words/schedule.ts";
import { send } from "../words/send.ts";
import { Meter } from "./frame.tsx";
import type { Draft } from "./frame.tsx";
import { NumberRead } from "./number.tsx";

// The fields that several kinds of send have.

/** A field with its typed value and, where the API refused it, the reason. */
export const Typed: FC<{ draft: Draft } & FieldProps> = ({ draft: { typed, refused }, ...field }) => {
  const faulty = refused?.field?.replace(/\[\d+\]$/u, "") === field.name;
  return (
    <Field
      value={typed[field.name] ?? ""}
      {...field}
      {...(faulty && { error: [refused?.error, refused?.hint].filter(Boolean).join(" "), autofocus: true })}
    />
  );
};

/** A phone number in any notation, and the number that it goes to. Nothing is cut or checked in the browser. */
export const Phone: FC<{ draft: Draft } & FieldProps> = (field) => (
  <div class="stack tight">
    <Typed {...field} type="tel" required inputmode="tel" autocomplete="off" />
    <NumberRead kind={field.draft.kind} typed={field.draft.typed} />
  </div>
);

/** An Indian number, with or without its country code. */
export const IndianPhone: FC<{ draft: Draft } & FieldProps> = (field) => (
  <Phone {...field} prefix="+91" placeholder="9876543210" />
);

/** The text of an SMS, with its length and segments. */
export const Message: FC<{ draft: Draft; units: number }> = ({ draft, units }) => {
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

/** The name that the recipient sees as the sender. */
export const Sender: FC<{ draft: Draft }> = ({ draft }) => {
  const t = useWords(send);
  return <Typed draft={draft} name="senderId" label={t.senderId} hint={t.senderHint} autocomplete="off" />;
};

/** When to send it. The zone is India's, with and without the script: all times on pages are. */
export const Later: FC<{ draft: Draft }> = ({ draft }) => {
  const t = useWords(schedule);
  return (
    <Typed
      draft={draft}
      name="sendAt"
      label={t.field}
      hint={t.fieldHint}
      type="datetime-local"
      data={{ "data-clear": "" }}
    />
  );
};

/** A select field whose options come from the page's words. */
export const Listed: FC<{
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
