import type { FC } from "hono/jsx";
import type { CarrierHealth } from "../../../model/carrier/health.ts";
import type { CarrierAtDesk } from "../../../operator/carrier-set/at-desk.ts";
import { count, timeText } from "../../format.ts";
import { Card, PageHead, Time } from "../../parts.tsx";
import { useView } from "../../view.ts";
import { DeskDone, Wide, useMay } from "../frame.tsx";
import { fill, useTexts, wordFor } from "./texts.ts";

// The operator's list of carriers, with how each does at the moment.

const TONES = { up: "ok", trial: "warn", out: "bad", bound: "ok", down: "warn", refused: "bad" } as const;

/** The state of a carrier or of a bind, as a word and a colour. */
const StatePill: FC<{ state: keyof typeof TONES }> = ({ state }) => (
  <span class={`pill ${TONES[state]}`}>{useTexts().list[state]}</span>
);

const Standing: FC<{ of: CarrierHealth | null }> = ({ of }) => {
  const { list: t } = useTexts();
  const { lang } = useView();
  if (of === null) return <>–</>;
  const { state, sinceMs, lastError } = of;
  return (
    <>
      <StatePill state={state} />
      <div class="dim small">{fill(t.sinceTime, { time: timeText(sinceMs, "time", lang) })}</div>
      {lastError !== null && <div class="dim small">{fill(t.lastError, { code: lastError.code })}</div>}
    </>
  );
};

/** Of what ended in the last minute, what was delivered; and what the carrier did not take. */
function figuresOf({ minute, medianMs }: CarrierHealth) {
  const ended = minute.delivered + minute.undelivered + minute.failed;
  const errors = minute.rejected + minute.not_accepted + minute.unknown;
  return { errors, share: ended === 0 ? null : minute.delivered / ended, medianMs };
}

const Row: FC<{ of: CarrierAtDesk }> = ({ of: { name, kind, builtin, tps, health } }) => {
  const { list: t, kinds } = useTexts();
  const { at, lang } = useView();
  const figures = health && figuresOf(health);
  const share = figures?.share ?? null;
  const medianMs = figures?.medianMs ?? null;
  const rate = tps === null ? t.learned : fill(t.perSecond, { n: count(tps, lang) });
  return (
    <tr>
      <td>
        <a class="mono" href={at(`/desk/carriers/${name}`)}>
          {name}
        </a>
      </td>
      <td data-head={t.kind}>
        <bdi>{wordFor(kinds, kind)}</bdi>
        {builtin && <div class="dim small">{t.builtIn}</div>}
      </td>
      <td data-head={t.status}>
        <Standing of={health} />
      </td>
      <td class="whole" data-head={t.rate}>
        {rate}
      </td>
      <td class="num" data-head={t.errors}>
        {figures === null ? "–" : count(figures.errors, lang)}
      </td>
      <td class="num" data-head={t.share}>
        {share === null ? "–" : `${count(Math.floor(share * 100), lang)}%`}
      </td>
      <td class="num" data-head={t.median}>
        {medianMs === null ? "–" : fill(t.seconds, { n: count(Math.round(medianMs / 100) / 10, lang) })}
      </td>
    </tr>
  );
};

const Binds: FC<{ of: CarrierAtDesk }> = ({ of: { name, binds } }) => {
  const { list: t } = useTexts();
  const { lang } = useView();
  const title = fill(t.bindsOf, { name });
  return (
    <Card title={title}>
      {binds === null || binds.length === 0 ? (
        <p>–</p>
      ) : (
        <Wide label={title} heads={[t.bind, t.mode, t.status, t.since, { num: t.inFlight }]}>
          {binds.map(({ n, mode, state, since, inFlight }) => (
            <tr>
              <td>{n}</td>
              <td>
                <code>{mode}</code>
              </td>
              <td>
                <StatePill state={state} />
              </td>
              <td>
                <Time at={since} />
              </td>
              <td class="num">{count(inFlight, lang)}</td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};

/** The list of carriers; `live` where it refreshes itself. */
export const CarrierList: FC<{
  all: readonly CarrierAtDesk[];
  nowMs: number;
  live: boolean;
  done: string | undefined;
}> = ({ all, nowMs, live, done }) => {
  const { list: t } = useTexts();
  const { at, lang } = useView();
  const mayChange = useMay("carriers");
  return (
    <>
      <PageHead title={t.carriers} lead={t.lead}>
        {mayChange && (
          <a class="btn" href={at("/desk/new-carrier")}>
            {t.setUp}
          </a>
        )}
        <a class="btn quiet" href={at("/desk/carrier-set")}>
          {t.moveSet}
        </a>
      </PageHead>
      <DeskDone done={done} />
      <Card>
        <Wide
          stacked
          label={t.carriers}
          heads={[t.name, t.kind, t.status, t.rate, { num: t.errors }, { num: t.share }, { num: t.median }]}
        >
          {all.map((one) => (
            <Row of={one} />
          ))}
        </Wide>
        <p class="dim small">
          {fill(t.asOf, { time: timeText(nowMs, "time", lang) })}{" "}
          <a href={at(live ? "/desk/carriers" : "/desk/carriers?live=1")}>{live ? t.still : t.live}</a>
        </p>
      </Card>
      {all
        .filter(({ kind }) => kind === "smpp")
        .map((one) => (
          <Binds of={one} />
        ))}
    </>
  );
};
