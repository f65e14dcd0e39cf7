import type { FC } from "hono/jsx";
import type { SetChanges } from "../../../operator/carrier-set/set.ts";
import { FileField } from "../../file-field.tsx";
import { Card, Field, Notice, PageHead } from "../../parts.tsx";
import { useView } from "../../view.ts";
import { useMay } from "../frame.tsx";
import type { CarrierFault } from "./form.tsx";
import { fill, useTexts } from "./texts.ts";

// All carriers and routes as one file: out, and in after a look at what it would change.

/** What taking the file would change, with the button that takes it. */
export interface Compared {
  changes: SetChanges;
  mark: string;
  taken: string;
}

const Changes: FC<{ of: Compared }> = ({ of: { changes, mark, taken } }) => {
  const { moving: t, form } = useTexts();
  const { at } = useView();
  const { carriers, routes } = changes;
  const words = { added: t.carrierAdded, removed: t.carrierRemoved, changed: t.carrierChanged };
  return (
    <Card title={t.changes} id="changes">
      <div class="stack">
        <ul class="deskeffects">
          {carriers.length === 0 && routes === null && <li>{t.nothing}</li>}
          {carriers.map(({ name, change, what }) => (
            <li>
              <code>{name}</code>: {fill(words[change], { what: what.join(", ") })}
            </li>
          ))}
          <li>{routes === null ? t.routesSame : fill(t.routesChanged, routes)}</li>
        </ul>
        <form class="actions" method="post" action={at("/desk/carrier-set/take")}>
          <input type="hidden" name="mark" value={mark} />
          <input type="hidden" name="set" value={taken} />
          <button class="btn danger">{t.take}</button>
          <a class="btn quiet" href={at("/desk/carrier-set")}>
            {form.cancel}
          </a>
        </form>
      </div>
    </Card>
  );
};

/** Export, and import in two steps. */
export const CarrierSetPage: FC<{ fault: CarrierFault | undefined; compared: Compared | undefined }> = ({
  fault,
  compared,
}) => {
  const { moving: t, list } = useTexts();
  const { at } = useView();
  return (
    <>
      <PageHead title={t.setTitle} lead={t.setLead}>
        <a class="btn quiet" href={at("/desk/carriers")}>
          {list.carriers}
        </a>
      </PageHead>
      {fault !== undefined && (
        <Notice tone="bad">
          {fault.lang && <p>{t.notTaken}</p>}
          <p {...(fault.lang && { lang: fault.lang })}>{fault.error}</p>
        </Notice>
      )}
      {compared && <Changes of={compared} />}
      <Card title={t.exportTitle}>
        <p>
          <a class="btn quiet" href={at("/desk/carrier-set/export")}>
            {t.export}
          </a>
        </p>
      </Card>
      {useMay("carriers") && (
        <Card title={t.importTitle}>
          <form class="stack" method="post" enctype="multipart/form-data" action={at("/desk/carrier-set")}>
            <p class="dim small">{t.importLead}</p>
            <FileField label={t.file} name="file" hint={t.fileHint} accept="application/json,.json" />
            <Field label={t.pasted} name="set" type="textarea" mono autocomplete="off" />
            <div>
              <button class="btn">{t.compare}</button>
            </div>
          </form>
        </Card>
      )}
    </>
  );
};
