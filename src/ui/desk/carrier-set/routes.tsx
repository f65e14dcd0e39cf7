import type { FC } from "hono/jsx";
import type { Route } from "../../../model/carrier/carrier.ts";
import { OPERATION_NAMES } from "../../../model/operations.ts";
import type { Step, Way } from "../../../operator/carrier-set/routes-form.ts";
import { count } from "../../format.ts";
import { Card, Choice, Empty, Field, Notice, PageHead, faultAt } from "../../parts.tsx";
import { useView, useWords } from "../../view.ts";
import { shell } from "../../words/shell.ts";
import { DeskDone, Wide, useMay } from "../frame.tsx";
import type { CarrierFault } from "./form.tsx";
import { fill, useTexts, wordFor } from "./texts.ts";

// The routes, in their order, and which way a message would go.

type Typed = Readonly<Record<string, string>>;

const Row: FC<{ of: Route; n: number; last: boolean; mark: string }> = ({ of, n, last, mark }) => {
  const { routing: t } = useTexts();
  const names = useWords(shell).operations;
  const { at } = useView();
  const { operations, to, carriers, fallback = [] } = of;
  const acts = [
    ...(n > 1 ? ([["up", t.up, t.upOf]] as const) : []),
    ...(last ? [] : ([["down", t.down, t.downOf]] as const)),
  ];
  return (
    <tr>
      <td>{n}</td>
      <td data-head={t.operations}>{operations ? operations.map((one) => wordFor(names, one)).join(", ") : t.every}</td>
      <td class="deskwhy" data-head={t.to}>
        {to ? <code>{to.join(" ")}</code> : t.every}
      </td>
      <td class="deskwhy" data-head={t.carriersField}>
        {carriers.map(({ name, weight }) => (
          <div>
            <code>{name}</code> × {weight}
          </div>
        ))}
      </td>
      <td class="deskwhy" data-head={t.fallback}>
        {fallback.length === 0 ? "–" : <code>{fallback.join(", ")}</code>}
      </td>
      {useMay("carriers") && (
        <td>
          <form class="actions" method="post" action={at("/desk/routes")}>
            <input type="hidden" name="n" value={String(n)} />
            <input type="hidden" name="mark" value={mark} />
            {acts.map(([act, label, long]) => (
              <button class="btn quiet small" name="do" value={act} aria-label={fill(long, { n })}>
                {label}
              </button>
            ))}
            <a class="btn quiet small" href={at(`/desk/route?n=${n}`)} aria-label={fill(t.editOf, { n })}>
              {t.edit}
            </a>
            <a class="btn quiet small" href={at(`/desk/route?n=${n}&do=remove`)} aria-label={fill(t.removeOf, { n })}>
              {t.remove}…
            </a>
          </form>
        </td>
      )}
    </tr>
  );
};

/** Why a carrier stands on a message's way. */
function whyText(t: ReturnType<typeof useTexts>["routing"], step: Step, share: (part: number) => string): string {
  switch (step.why) {
    case "weight":
      return fill(t.byWeight, { weight: step.weight, share: share(step.share) });
    case "fallback":
      return fill(t.asFallback, { n: step.n });
    case "cannot":
      return t.cannot;
    case "no_weight":
      return t.noWeight;
    case "otherwise":
      return t.asOtherwise;
  }
}

const WayCard: FC<{ typed: Typed; way: Way | undefined; fault: CarrierFault | undefined; otherwise: string }> = ({
  typed,
  way,
  fault,
  otherwise,
}) => {
  const { routing: t, list } = useTexts();
  const names = useWords(shell).operations;
  const { at, lang } = useView();
  const share = (part: number) => `${count(Math.round(part * 1_000) / 10, lang)}%`;
  return (
    <Card title={t.wayTitle} id="way">
      <div class="stack">
        <form class="stack" method="get" action={at("/desk/routes")}>
          <div class="two">
            <Field
              label={t.number}
              name="to"
              inputmode="tel"
              required
              value={typed["to"]}
              error={faultAt(fault, "to")}
              autocomplete="off"
            />
            <Choice
              label={t.operation}
              name="operation"
              value={typed["operation"]}
              options={OPERATION_NAMES.map((value) => ({ value, label: names[value] }))}
            />
            <Field label={t.ref} name="ref" value={typed["ref"]} hint={t.refHint} maxlength={100} autocomplete="off" />
          </div>
          <div>
            <button class="btn quiet">{t.ask}</button>
          </div>
        </form>
        {way && (
          <div class="stack" id="steps">
            <p>
              <b>{way.route === null ? fill(t.byNone, { otherwise }) : fill(t.byRoute, { n: way.route })}</b>
            </p>
            <Wide label={t.order} heads={[t.order, list.name, t.why]}>
              {way.steps.map((step, nth) => (
                <tr>
                  <td>{step.why === "cannot" || step.why === "no_weight" ? "–" : nth + 1}</td>
                  <td>
                    <code>{step.name}</code>
                  </td>
                  <td>{whyText(t, step, share)}</td>
                </tr>
              ))}
            </Wide>
          </div>
        )}
      </div>
    </Card>
  );
};

/** All routes in their order. */
export const RouteList: FC<{
  routes: readonly Route[];
  mark: string;
  otherwise: string;
  done: string | undefined;
  fault: CarrierFault | undefined;
  typed: Typed;
  way: Way | undefined;
}> = ({ routes, mark, otherwise, done, fault, typed, way }) => {
  const { routing: t, list } = useTexts();
  const { at } = useView();
  const mayChange = useMay("carriers");
  const heads = ["#", t.operations, t.to, t.carriersField, t.fallback, ...(mayChange ? [t.edit] : [])];
  return (
    <>
      <PageHead title={list.routes} lead={fill(t.routesLead, { otherwise })}>
        {mayChange && (
          <a class="btn" href={at("/desk/route")}>
            {t.add}
          </a>
        )}
      </PageHead>
      <DeskDone done={done} />
      {fault !== undefined && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
      <Card>
        {routes.length === 0 ? (
          <Empty icon="send" title={t.noRoutes}>
            <p>{fill(t.noRoutesHint, { otherwise })}</p>
          </Empty>
        ) : (
          <Wide label={list.routes} heads={heads} stacked>
            {routes.map((route, nth) => (
              <Row of={route} n={nth + 1} last={nth === routes.length - 1} mark={mark} />
            ))}
          </Wide>
        )}
      </Card>
      <WayCard typed={typed} way={way} fault={fault} otherwise={otherwise} />
    </>
  );
};

/** One route as a form; `n` is its number, 0 of a new one. */
export const RouteForm: FC<{ n: number; mark: string; typed: Typed; fault: CarrierFault | undefined }> = ({
  n,
  mark,
  typed,
  fault,
}) => {
  const { routing: t, form } = useTexts();
  const names = useWords(shell).operations;
  const { at } = useView();
  const field = (name: string) => ({ name, value: typed[name], error: faultAt(fault, name), errorLang: fault?.lang });
  return (
    <>
      <PageHead title={n === 0 ? t.addTitle : fill(t.editTitle, { n })} />
      <form class="card stack" method="post" action={at("/desk/routes")}>
        {fault !== undefined && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
        <input type="hidden" name="n" value={String(n)} />
        <input type="hidden" name="mark" value={mark} />
        <fieldset class="field ticks">
          <legend>{t.operations}</legend>
          {OPERATION_NAMES.map((one) => (
            <label class="check">
              <input
                type="checkbox"
                name={`operations.${one}`}
                value="1"
                {...(typed[`operations.${one}`] === "1" && { checked: true })}
              />{" "}
              {names[one]}
            </label>
          ))}
          <p class="hint">{t.operationsHint}</p>
        </fieldset>
        <Field label={t.toField} hint={t.toFieldHint} type="textarea" mono autocomplete="off" {...field("to")} />
        <Field
          label={t.carriersField}
          hint={t.carriersHint}
          type="textarea"
          mono
          required
          autocomplete="off"
          {...field("carriers")}
        />
        <Field label={t.fallback} hint={t.fallbackHint} mono autocomplete="off" {...field("fallback")} />
        <div class="actions">
          <button class="btn" name="do" value="save">
            {t.save}
          </button>
          <a class="btn quiet" href={at("/desk/routes")}>
            {form.cancel}
          </a>
        </div>
      </form>
    </>
  );
};

/** The question before a route is taken out. */
export const RemoveRoute: FC<{ n: number; of: Route; mark: string }> = ({ n, of, mark }) => {
  const { routing: t, form } = useTexts();
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{fill(t.removeTitle, { n })}</h1>
      <p>
        <code>
          {of.to?.join(" ") ?? "*"} → {of.carriers.map(({ name, weight }) => `${name} × ${weight}`).join(", ")}
        </code>
      </p>
      <form class="actions" method="post" action={at("/desk/routes")}>
        <input type="hidden" name="n" value={String(n)} />
        <input type="hidden" name="mark" value={mark} />
        <button class="btn danger" name="do" value="remove">
          {t.remove}
        </button>
        <a class="btn quiet" href={at("/desk/routes")}>
          {form.cancel}
        </a>
      </form>
    </section>
  );
};
