import type { FC } from "hono/jsx";
import { SET_UP_KINDS } from "../../../operator/carrier-set/form.ts";
import { Card, Code, PageHead } from "../../parts.tsx";
import { useView } from "../../view.ts";
import { DeskDone } from "../frame.tsx";
import { CarrierForm } from "./form.tsx";
import type { CarrierFormProps } from "./form.tsx";
import { useTexts, wordFor } from "./texts.ts";

// The pages of one carrier: which kind it is to be, a new one, and one that is there.

/** Chooses what to set up: a kind, or a description of a provider. */
export const ChooseKind: FC = () => {
  const { form: t, list, kinds, presets } = useTexts();
  const { at } = useView();
  return (
    <>
      <PageHead title={list.setUp} lead={t.chooseLead} />
      <Card title={list.kind}>
        <ul class="deskeffects">
          {SET_UP_KINDS.map((kind) => (
            <li>
              <a href={at(`/desk/new-carrier?kind=${kind}`)}>
                <bdi>{kinds[kind]}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t.presets}>
        <p class="dim small">{t.presetsLead}</p>
        <ul class="deskeffects">
          {Object.entries(presets).map(([name, { title }]) => (
            <li>
              <a href={at(`/desk/new-carrier?kind=template&preset=${name}`)}>
                <bdi>{title}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
};

/** A new carrier of a kind. */
export const NewCarrier: FC<Omit<CarrierFormProps, "name" | "stored">> = (props) => {
  const { list, kinds, presets } = useTexts();
  const provider = presets[props.preset ?? ""]?.title;
  const kind = kinds[props.kind];
  return (
    <>
      <PageHead title={list.setUp} lead={provider === undefined ? kind : `${provider} (${kind})`} />
      <CarrierForm {...props} name={null} stored={[]} />
    </>
  );
};

/** One carrier: its callback address, its form where the operator may change it, and else its settings. */
export const OneCarrier: FC<{
  name: string;
  kind: string;
  callbackUrl: string | null;
  settings: object;
  done: string | undefined;
  mayChange: boolean;
  form: Omit<CarrierFormProps, "name"> | null;
}> = ({ name, kind, callbackUrl, settings, done, mayChange, form }) => {
  const { form: t, trial, list, kinds } = useTexts();
  const { at } = useView();
  const own = at(`/desk/carriers/${name}`);
  return (
    <>
      <PageHead title={name} lead={wordFor(kinds, kind)}>
        {mayChange && (
          <a class="btn" href={`${own}/test`}>
            {trial.test}
          </a>
        )}
        {form !== null && (
          <a class="btn danger" href={`${own}/delete`}>
            {t.delete}…
          </a>
        )}
        <a class="btn quiet" href={at("/desk/carriers")}>
          {list.carriers}
        </a>
      </PageHead>
      <DeskDone done={done} />
      {callbackUrl !== null && (
        <Card title={t.callback}>
          <p class="dim small">{t.callbackHint}</p>
          <Code text={callbackUrl} label={t.callback} />
        </Card>
      )}
      {form === null ? (
        <Card title={t.settings}>
          {mayChange && <p class="dim small">{t.builtInLead}</p>}
          <pre tabindex={0}>{JSON.stringify(settings, null, 2)}</pre>
        </Card>
      ) : (
        <CarrierForm {...form} name={name} />
      )}
    </>
  );
};
