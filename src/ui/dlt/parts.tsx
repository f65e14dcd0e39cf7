import type { FC } from "hono/jsx";
import { DLT_CATEGORIES } from "../../model/carrier/dlt.ts";
import type { DltCategory, DltHeader, DltSample, DltTemplate, DltTried } from "../../model/carrier/dlt.ts";
import type { Failure } from "../../http/errors.ts";
import { count } from "../format.ts";
import { Card, Choice, Code, Field, Notice, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { dltWords } from "../words/dlt.ts";
import { failureText } from "../words/failures.ts";

// The cards of the page of the DLT registry.

/** What operators append to a header, by the kind of message: service explicit counts as promotional. */
const SUFFIX: Readonly<Record<DltCategory, "P" | "S" | "T">> = {
  otp: "T",
  transactional: "T",
  service_implicit: "S",
  service_explicit: "P",
  promotional: "P",
};

/** A header as a phone shows it: the letters before it are the operator's and its region's. */
const handsetHeader = (header: string, category: DltCategory): string => `AX-${header}-${SUFFIX[category]}`;

/** A refusal of a form that is about none of the form's own fields. */
export const General: FC<{ of: Unsaved | undefined; own: readonly string[] }> = ({ of, own }) =>
  of && !own.includes(of.field ?? "") ? (
    <Notice tone="bad" focused>
      {of.error}
    </Notice>
  ) : null;

export const CategoryChoice: FC<{ value?: string | undefined; name?: string }> = ({ value, name = "category" }) => {
  const { category, categories } = useWords(dltWords);
  const options = DLT_CATEGORIES.map((one) => ({ value: one, label: categories[one] }));
  // Most headers and templates are of this one.
  return <Choice label={category} name={name} value={value ?? "service_implicit"} options={options} />;
};

/** The headers, with the sender that a phone shows. */
export const Headers: FC<{ headers: readonly DltHeader[]; unsaved: Unsaved | undefined }> = ({ headers, unsaved }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  return (
    <Card title={t.headers} id="headers">
      <General of={unsaved} own={["header"]} />
      {headers.length === 0 ? <p class="dim">{t.noHeaders}</p> : <p class="dim small">{t.onPhoneHint}</p>}
      <ul class="keylist">
        {headers.map(({ header, category }) => (
          <li class="keyrow">
            <div class="keyname">
              <h3>
                <bdi>{header}</bdi>
              </h3>
            </div>
            <dl class="keyfacts">
              <dt>{t.category}</dt>
              <dd>{t.categories[category]}</dd>
              <dt>{t.onPhone}</dt>
              <dd>
                <code>{handsetHeader(header, category)}</code>
              </dd>
            </dl>
            <form class="keyactions" method="post" action={at("/dlt/headers")}>
              <button class="ghost" name="remove" value={header}>
                {t.remove}
                <span class="sr">
                  {" "}
                  <bdi>{header}</bdi>
                </span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      <form class="stack" method="post" action={at("/dlt/headers")}>
        <Field
          label={t.header}
          name="header"
          hint={t.headerHint}
          maxlength={11}
          required
          autocomplete="off"
          value={unsaved?.typed["header"]}
          error={faultAt(unsaved, "header")}
        />
        <CategoryChoice value={unsaved?.typed["category"]} />
        <div>
          <button class="btn">{t.add}</button>
        </div>
      </form>
    </Card>
  );
};

/** One template in the list. */
export const TemplateRow: FC<{ of: DltTemplate }> = ({ of: { templateId, headers, category, text } }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  return (
    <li class="keyrow">
      <div class="keyname">
        <h3>
          <code>{templateId}</code>
        </h3>
        <span class="pill">{t.categories[category]}</span>
      </div>
      <code class="keytext">{text}</code>
      <dl class="keyfacts">
        <dt>{t.headers}</dt>
        <dd>
          <bdi>{headers.join(", ")}</bdi>
        </dd>
      </dl>
      <form class="keyactions" method="post" action={at("/dlt/templates/remove")}>
        <a class="ghost" href={at(`/dlt?edit=${templateId}#template`)}>
          {t.edit}
          <span class="sr"> {templateId}</span>
        </a>
        <button class="ghost" name="template_id" value={templateId}>
          {t.remove}
          <span class="sr"> {templateId}</span>
        </button>
      </form>
    </li>
  );
};

/** A text with the character that differs marked. */
const Marked: FC<{ text: string; at: number }> = ({ text, at }) => {
  const chars = [...text];
  return (
    <pre tabindex={0}>
      {chars.slice(0, at).join("")}
      <mark>{chars[at] ?? " "}</mark>
      {chars.slice(at + 1).join("")}
    </pre>
  );
};

/** A text that was tried out. */
export interface Tried {
  typed: Readonly<Record<string, string>>;
  tried: DltTried;
  /** The refusal, as a send would be answered; null: it fits. */
  failure: Failure | null;
}

const Outcome: FC<{ of: Tried }> = ({ of: { typed, tried, failure } }) => {
  const t = useWords(dltWords);
  const { lang } = useView();
  const { template, refusal } = tried;
  if (!failure) {
    return (
      <Notice tone="ok" focused>
        {t.fits(template?.templateId ?? "")}
      </Notice>
    );
  }
  const different = refusal?.reason === "dlt_mismatch" ? refusal.dlt : null;
  return (
    <>
      <Notice tone="bad" focused>
        {failureText(failure, lang).error}
      </Notice>
      {different && (
        <>
          <p class="small">{t.yours}</p>
          <Marked text={(typed["message"] ?? "").normalize("NFC")} at={different.at} />
          <dl class="keyfacts">
            <dt>{t.expected}</dt>
            <dd>{different.expected === "" ? t.end : <code>{different.expected}</code>}</dd>
            <dt>{t.found}</dt>
            <dd>{different.found === "" ? t.end : <code>{different.found}</code>}</dd>
          </dl>
        </>
      )}
      {template && <Code label={t.nearest} text={template.text} />}
    </>
  );
};

/** The box in which a text is tried out. */
export const TestBox: FC<{ tried: Tried | undefined }> = ({ tried }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  return (
    <Card title={t.test} id="test">
      <form class="stack" method="post" action={`${at("/dlt/test")}#test`}>
        <p class="dim small">{t.testLead}</p>
        {tried && <Outcome of={tried} />}
        <Field label={t.text} name="message" type="textarea" required id="t-message" value={tried?.typed["message"]} />
        <Field label={t.sender} name="senderId" maxlength={11} autocomplete="off" value={tried?.typed["senderId"]} />
        <div>
          <button class="btn">{t.testNow}</button>
        </div>
      </form>
    </Card>
  );
};

/** Templates to register, made from texts that were sent. */
export const Samples: FC<{ samples: readonly DltSample[] }> = ({ samples }) => {
  const t = useWords(dltWords);
  const { lang } = useView();
  return (
    <Card title={t.samples} id="samples">
      <p class="dim small">{t.samplesLead}</p>
      {samples.length === 0 && <p class="dim">{t.noSamples}</p>}
      {samples.map(({ text, count: times }) => (
        <Code label={t.times(count(times, lang))} text={text} />
      ))}
    </Card>
  );
};
