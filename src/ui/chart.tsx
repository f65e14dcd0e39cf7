import type { FC } from "hono/jsx";
import { DAYS, SERIES } from "../usage.ts";
import type { Day } from "../usage.ts";
import { count, timeText } from "./format.ts";
import { Card, Empty } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { overview } from "./words/overview.ts";

// Stacked bars, drawn by the server: no script, and the same numbers as a table.

const WIDTH = 700;
const HEIGHT = 210;
const TOP = 10;
const BOTTOM = 26;
const LEFT = 40;
/** Share of a day's width that its bar takes. */
const BAR = 0.62;

const sumOf = (day: Day) => SERIES.reduce((sum, name) => sum + day[name], 0);

/** A round number at or above the largest day, so that half of it is whole as well. */
export function scaleOf(max: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, max)));
  const unit = [0.2, 0.5, 1].map((part) => part * step).find((size) => max <= size * 10) ?? step;
  return Math.max(2, Math.ceil(max / (unit * 2)) * unit * 2);
}

const Bar: FC<{ day: Day; place: number; scale: number }> = ({ day, place, scale }) => {
  const t = useWords(overview);
  const { lang } = useView();
  const width = (WIDTH - LEFT) / DAYS;
  const x = LEFT + width * (place + (1 - BAR) / 2);
  const height = (of: number) => ((HEIGHT - TOP - BOTTOM) * of) / scale;
  let below = 0;
  return (
    <g class="day">
      <title>
        {`${timeText(day.at, "day", lang)}: ${SERIES.map((name) => `${t[name]} ${count(day[name], lang)}`).join(", ")}`}
      </title>
      <rect class="hover" x={LEFT + width * place} y={TOP} width={width} height={HEIGHT - TOP - BOTTOM} />
      {SERIES.map((name) => {
        const size = height(day[name]);
        below += size;
        return size > 0 && <rect class={name} x={x} y={HEIGHT - BOTTOM - below} width={width * BAR} height={size} />;
      })}
      {(DAYS - 1 - place) % 2 === 0 && (
        <text x={LEFT + width * (place + 0.5)} y={HEIGHT - 7} text-anchor="middle">
          {timeText(day.at, "day", lang)}
        </text>
      )}
    </g>
  );
};

const Bars: FC<{ days: readonly Day[] }> = ({ days }) => {
  const t = useWords(overview);
  const { lang } = useView();
  const scale = scaleOf(Math.max(...days.map(sumOf)));
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t.chartTitle}>
      {[0, 0.5, 1].map((part) => {
        const y = TOP + (HEIGHT - TOP - BOTTOM) * (1 - part);
        return (
          <g>
            <line x1={LEFT} x2={WIDTH} y1={y} y2={y} />
            <text x={LEFT - 8} y={y + 4} text-anchor="end">
              {count(scale * part, lang)}
            </text>
          </g>
        );
      })}
      {days.map((day, place) => (
        <Bar day={day} place={place} scale={scale} />
      ))}
    </svg>
  );
};

const Numbers: FC<{ days: readonly Day[] }> = ({ days }) => {
  const t = useWords(overview);
  const { lang } = useView();
  return (
    <details class="numbers">
      <summary>{t.table}</summary>
      <div class="scroll" tabindex={0} role="region" aria-label={t.chartTitle}>
        <table>
          <thead>
            <tr>
              <th>{t.day}</th>
              {SERIES.map((name) => (
                <th class="num">{t[name]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((day) => (
              <tr>
                <th scope="row">{timeText(day.at, "day", lang)}</th>
                {SERIES.map((name) => (
                  <td class="num">{count(day[name], lang)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
};

const Legend: FC = () => {
  const t = useWords(overview);
  return (
    <ul class="legend">
      {SERIES.map((name) => (
        <li>
          <i class={name} />
          {t[name]}
        </li>
      ))}
    </ul>
  );
};

/** The last two weeks, by day and kind; `days` is null while they cannot be read. */
export const UsageChart: FC<{ days: readonly Day[] | null }> = ({ days }) => {
  const t = useWords(overview);
  if (!days) {
    return (
      <Card title={t.chartTitle}>
        <Empty icon="activity" title={t.chartAway}>
          <p>{t.chartAwayHint}</p>
        </Empty>
      </Card>
    );
  }
  if (days.every((day) => sumOf(day) === 0)) {
    return (
      <Card title={t.chartTitle}>
        <Empty icon="activity" title={t.chartEmpty}>
          <p>{t.chartEmptyHint}</p>
        </Empty>
      </Card>
    );
  }
  return (
    <Card title={t.chartTitle} extra={<Legend />} class="usage">
      <Bars days={days} />
      <p class="dim small">{t.chartLead}</p>
      <Numbers days={days} />
    </Card>
  );
};
