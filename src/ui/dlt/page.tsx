import type { FC } from "hono/jsx";
import { DLT_ENFORCED } from "../../model/carrier/dlt.ts";
import type { DltImported, DltSample, DltTemplate, KeptDlt } from "../../model/carrier/dlt.ts";
import { FileField } from "../file-field.tsx";
import { count } from "../format.ts";
import { Card, Choice, Field, Notice, Older, PageHead, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { dltWords } from "../words/dlt.ts";
import { CategoryChoice, General, Headers, Samples, TemplateRow, TestBox } from "./parts.tsx";
import type { Tried } from "./parts.tsx";

// The page of the DLT registry: entity, headers, templates, import, a box that tries a text, and proposals.

/** What came of a file. */
export interface Report {
  imported: DltImported;
  /** What was left out, and what was wrong; `column` is absent for what was left out. */
  lines: { line: number; column?: string; error: string }[];
  /** How many there are in the file; `lines` has the first of them. */
  linesCount: number;
}

/** A refused form, and which one it was. */
export type Refusal = Unsaved & { form: "terms" | "headers" | "template" | "import" };

export interface DltShown {
  registry: KeptDlt;
  /** Templates of this page, and what was searched for. */
  rows: readonly DltTemplate[];
  q: string;
  older: string | null;
  samples: readonly DltSample[];
  said?: { tone: "ok" | "bad"; text: string } | undefined;
  edited?: DltTemplate | undefined;
  refused?: Refusal | undefined;
  report?: Report | undefined;
  tried?: Tried | undefined;
}

/** The refusal of one form. */
const refusalOf = (refused: Refusal | undefined, form: Refusal["form"]) =>
  refused?.form === form ? refused : undefined;

const Terms: FC<DltShown> = ({ registry, refused }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  const unsaved = refusalOf(refused, "terms");
  const typed = unsaved?.typed ?? {};
  const { entityId, enforce, otp, templates } = registry;
  // A list of 10,000 would be of no use: the field takes the id.
  const isLong = templates.length > 100;
  const chosen = typed["otp"] ?? otp?.templateId ?? "";
  const options = [
    { value: "", label: t.otpNone },
    ...templates.map(({ templateId, text }) => ({ value: templateId, label: `${templateId} ${text.slice(0, 60)}` })),
  ];
  return (
    <Card title={t.terms} id="terms">
      <form class="stack" method="post" action={at("/dlt/terms")}>
        <General of={unsaved} own={["entity_id", "otp.values", ...(isLong ? ["otp.template_id"] : [])]} />
        <Field
          label={t.entity}
          name="entity_id"
          hint={t.entityHint}
          inputmode="numeric"
          autocomplete="off"
          value={typed["entity_id"] ?? entityId ?? ""}
          error={faultAt(unsaved, "entity_id")}
        />
        <Choice
          label={t.enforce}
          name="enforce"
          value={typed["enforce"] ?? enforce}
          options={DLT_ENFORCED.map((value) => ({ value, label: t.enforced[value] }))}
        />
        {isLong ? (
          <Field
            label={t.otp}
            name="otp"
            hint={t.otpIdHint}
            inputmode="numeric"
            autocomplete="off"
            value={chosen}
            error={faultAt(unsaved, "otp.template_id")}
          />
        ) : (
          <Choice label={t.otp} name="otp" value={chosen} options={options} />
        )}
        <Field
          label={t.otpValues}
          name="values"
          type="textarea"
          hint={t.otpHint}
          value={typed["values"] ?? otp?.values.join("\n") ?? ""}
          error={faultAt(unsaved, "otp.values")}
        />
        <div>
          <button class="btn">{t.save}</button>
        </div>
      </form>
    </Card>
  );
};

const Templates: FC<DltShown> = ({ registry, rows, q, older }) => {
  const t = useWords(dltWords);
  const { at, lang } = useView();
  const isEmpty = registry.templates.length === 0;
  return (
    <Card title={t.templates(count(registry.templates.length, lang))} id="templates">
      <form class="stack" method="get" action={at("/dlt")}>
        <Field label={t.search} name="q" type="search" value={q} autocomplete="off" />
        <div>
          <button class="btn quiet">{t.find}</button>
        </div>
      </form>
      {isEmpty && <p class="dim">{t.noTemplates}</p>}
      {!isEmpty && rows.length === 0 && (
        <p class="dim">
          {t.noneFound} <a href={at("/dlt")}>{t.showAll}</a>
        </p>
      )}
      <ul class="keylist">
        {rows.map((one) => (
          <TemplateRow of={one} />
        ))}
      </ul>
      {older !== null && <Older href={at(`/dlt?${older}`)} />}
    </Card>
  );
};

const TemplateForm: FC<DltShown> = ({ edited, refused }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  const unsaved = refusalOf(refused, "template");
  const typed = unsaved?.typed ?? {};
  return (
    <Card title={t.addTemplate} id="template">
      <form class="stack" method="post" action={`${at("/dlt/templates")}#template`}>
        <General of={unsaved} own={["template_id", "headers", "text"]} />
        <Field
          label={t.templateId}
          name="template_id"
          inputmode="numeric"
          autocomplete="off"
          required
          value={typed["template_id"] ?? edited?.templateId}
          error={faultAt(unsaved, "template_id")}
        />
        <Field
          label={t.templateHeaders}
          name="headers"
          autocomplete="off"
          required
          value={typed["headers"] ?? edited?.headers.join(", ")}
          error={faultAt(unsaved, "headers")}
        />
        <CategoryChoice value={typed["category"] ?? edited?.category} />
        <Field
          label={t.text}
          name="text"
          type="textarea"
          hint={t.textHint}
          required
          value={typed["text"] ?? edited?.text}
          error={faultAt(unsaved, "text")}
        />
        <div>
          <button class="btn">{t.save}</button>
        </div>
      </form>
    </Card>
  );
};

const ReportTable: FC<{ of: Report }> = ({ of: { imported, lines, linesCount } }) => {
  const t = useWords(dltWords);
  const { lang } = useView();
  const { added, changed, unchanged } = imported;
  return (
    <>
      <Notice tone={lines.length === 0 ? "ok" : "info"} focused>
        {t.imported(count(added, lang), count(changed, lang), count(unchanged, lang))}
        {linesCount > 0 && <p>{t.left(count(linesCount, lang))}</p>}
        {lines.length < linesCount && <p>{t.cut(count(lines.length, lang))}</p>}
      </Notice>
      {lines.length > 0 && (
        <div class="scroll" tabindex={0} role="region" aria-label={t.import}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.line}</th>
                <th scope="col">{t.column}</th>
                <th scope="col">{t.problem}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ line, column, error }) => (
                <tr>
                  <td>{line}</td>
                  <td lang="en">{column ?? ""}</td>
                  <td lang="en">{error}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
};

const Import: FC<DltShown> = ({ refused, report }) => {
  const t = useWords(dltWords);
  const { at } = useView();
  const unsaved = refusalOf(refused, "import");
  return (
    <Card title={t.import} id="import">
      <form class="stack" method="post" action={`${at("/dlt/import")}#import`} enctype="multipart/form-data">
        {report && <ReportTable of={report} />}
        <FileField
          label={t.file}
          name="file"
          hint={t.fileHint}
          accept=".csv,text/csv"
          required
          error={unsaved?.error}
        />
        <div>
          <button class="btn">{t.importNow}</button>
        </div>
      </form>
    </Card>
  );
};

/** The page of the DLT registry. */
export const DltPage: FC<DltShown> = (shown) => {
  const t = useWords(dltWords);
  const { said, registry, refused, tried, samples } = shown;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {said && <Notice tone={said.tone}>{said.text}</Notice>}
      <div class="cols">
        <div class="stack">
          <Templates {...shown} />
          <TestBox tried={tried} />
          <Samples samples={samples} />
        </div>
        <div class="stack">
          <Terms {...shown} />
          <Headers headers={registry.headers} unsaved={refusalOf(refused, "headers")} />
          <TemplateForm {...shown} />
          <Import {...shown} />
        </div>
      </div>
    </>
  );
};
