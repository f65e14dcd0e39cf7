import type { FC } from "hono/jsx";
import { DAYS, SERIES } from "../activity/usage.ts";
import type { Day } from "../activity/usage.ts";
import { count, timeText } from "./format.ts";
import { Card, Empty } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { overview } from "./words/overview.ts";

// A chart of stacked bars, drawn by the server, and the same numbers as a table. It needs no script.

/** The size of the drawing in its own units: it is stretched to fill its place, and its labels are text beside it. */
const WIDTH = DAYS * 100;
const HEIGHT = 200;
/** The part of a day's width that its bar takes. */
const BAR = 0.62;

const sumOf = (day: Day) => SERIES.reduce((sum, name) => sum + day[name], 0);

/** A round number at or above the largest day, whose half is a whole number too. */
export function scaleOf(max: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, max)));
  const scale = [1, 2, 4, 6, 8, 10].map((times) => times * step).find((size) => size >= max && size % 2 === 0);
  return scale ?? 2;
}

const Bar: FC<{ day: Day; place: number; scale: number }> = ({ day, place, scale }) => {
  const t = useWords(overview);
  const { lang } = useView();
  const width = WIDTH / DAYS;
  let below = 0;
  return (
    <g class="day">
      <title>
        {`${timeText(day.at, "day", lang)}: ${SERIES.map((name) => `${t[name]} ${count(day[name], lang)}`).join(", ")}`}
      </title>
      <rect class="hover" x={width * place} y={0} width={width} height={HEIGHT} />
      {SERIES.map((name) => {
        const height = (HEIGHT * day[name]) / scale;
        below += height;
        return (
          height > 0 && (
            <rect
              class={name}
              x={width * (place + (1 - BAR) / 2)}
              y={HEIGHT - below}
              width={width * BAR}
              height={height}
            />
          )
        );
      })}
    </g>
  );
};

const Bars: FC<{ days: readonly Day[] }> = ({ days }) => {
  const t = useWords(overview);
  const { lang } = useView();
  const scale = scaleOf(Math.max(...days.map(sumOf)));
  return (
    <div class="bars">
      <div class="up" aria-hidden="true">
        {[1, 0.5, 0].map((part) => (
          <span>{count(scale * part, lang)}</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t.chartTitle}>
        {[0, 0.5, 1].map((part) => (
          <line x1={0} x2={WIDTH} y1={HEIGHT * part} y2={HEIGHT * part} />
        ))}
        {days.map((day, place) => (
          <Bar day={day} place={place} scale={scale} />
        ))}
      </svg>
      <div class="along" aria-hidden="true">
        {days.map((day) => (
          <span>{timeText(day.at, "day", lang)}</span>
        ))}
      </div>
    </div>
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

/** The last two weeks, by day and kind; `days` is null when they cannot be read. */
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
