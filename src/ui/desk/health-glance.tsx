import type { FC } from "hono/jsx";
import type { Health } from "../../operator/health.ts";
import { deliveredShare } from "../../model/delivery.ts";
import type { AlertKind } from "../../model/alert.ts";
import { count } from "../format.ts";
import type { Lang } from "../lang.ts";
import { Card, Notice } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskHealth } from "./words.ts";

// The service's health in one card: a line for each concern, which is red while an alert of it is open.

type HealthWords = (typeof deskHealth)["en"];

/** A length of time, cut to its largest unit. */
export function ageText(ms: number, t: HealthWords, lang: Lang): string {
  const sec = Math.max(0, Math.floor(ms / 1_000));
  if (sec < 120) return t.ages.sec(count(sec, lang));
  if (sec < 7_200) return t.ages.min(count(Math.floor(sec / 60), lang));
  if (sec < 172_800) return t.ages.hour(count(Math.floor(sec / 3_600), lang));
  return t.ages.day(count(Math.floor(sec / 86_400), lang));
}

/** A share as whole percent, rounded down: 99.9% is not all. */
export const percentText = (share: number, lang: Lang): string => `${count(Math.floor(share * 100), lang)}%`;

interface Line {
  name: keyof HealthWords["glances"];
  /** Null where it is not known. */
  text: string | null;
  /** Alerts of these kinds make it red. */
  kinds: readonly AlertKind[];
  /** Of those, the ones whose subject begins so. */
  start?: string;
  /** What is not well without being an alert. */
  isWarn?: boolean;
}

const PLAIN = ["payment_dispute", "reconcile_difference", "alarm_healed", "archive_failed"] as const;
const NAMES = {
  payment_dispute: "disputes",
  reconcile_difference: "differences",
  alarm_healed: "healed",
  archive_failed: "archive",
} as const;

function carrierText({ at, pace }: Health, t: HealthWords, lang: Lang): string | null {
  if (pace === null) return null;
  if (pace === "none") return t.noPace;
  const { quietMs, refusedSinceMs } = pace.standing;
  if (quietMs > 0) return t.silent(ageText(quietMs, t, lang));
  return refusedSinceMs === null ? t.takes : t.refuses(ageText(at - refusedSinceMs, t, lang));
}

const oldestText = (at: number, times: readonly (number | null)[], t: HealthWords, lang: Lang): string => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? t.none : ageText(at - Math.min(...known), t, lang);
};

/** The share of the carrier that delivers least, and how full the fullest database is. */
const leastDelivered = ({ lastHour }: Health) =>
  lastHour && Math.min(...lastHour.map((tally) => deliveredShare(tally) ?? 1), Infinity);
const fullest = ({ databases }: Health) =>
  databases && Math.max(-1, ...databases.flatMap(({ bytes, max }) => (bytes === null ? [] : [bytes / max])));

function linesOf(health: Health, t: HealthWords, lang: Lang): Line[] {
  const { at, alerts, queues, waits, paymentEvents, deadLetters, notices, cronAt } = health;
  const share = leastDelivered(health);
  const fill = fullest(health);
  const depths = queues?.filter(({ waiting }) => waiting !== null) ?? [];
  const counted = (n: number | null | undefined) => (n === null || n === undefined ? null : count(n, lang));
  return [
    { name: "alerts", text: counted(alerts?.length), kinds: [], isWarn: (alerts?.length ?? 0) > 0 },
    {
      name: "queues",
      text:
        depths.length === 0
          ? null
          : oldestText(
              at,
              depths.map(({ oldestAt }) => oldestAt),
              t,
              lang,
            ),
      kinds: ["queue_age"],
      start: "queue ",
    },
    {
      name: "waits",
      text:
        waits &&
        oldestText(
          at,
          waits.map(({ oldestAt }) => oldestAt),
          t,
          lang,
        ),
      kinds: ["queue_age"],
      start: "wait ",
      isWarn: (waits?.length ?? 0) > 0,
    },
    {
      name: "delivery",
      text: share === null ? null : share === Infinity ? t.none : percentText(share, lang),
      kinds: ["carrier_delivery"],
    },
    { name: "carrier", text: carrierText(health, t, lang), kinds: ["carrier_silent"] },
    { name: "databases", text: fill === null || fill < 0 ? null : percentText(fill, lang), kinds: ["database_fill"] },
    {
      name: "payments",
      text: counted(paymentEvents?.count),
      kinds: ["payment_event_stuck"],
      isWarn: (paymentEvents?.count ?? 0) > 0,
    },
    { name: "dead", text: counted(deadLetters?.count), kinds: ["dead_letters"] },
    ...PLAIN.map((kind): Line => ({
      name: NAMES[kind],
      text: alerts && counted(alerts.filter((alert) => alert.kind === kind).length),
      kinds: [kind],
    })),
    {
      name: "cron",
      text: cronAt === null ? null : cronAt === "never" ? t.never : t.ago(ageText(at - cronAt, t, lang)),
      kinds: ["cron_late"],
      isWarn: cronAt === "never",
    },
    { name: "notices", text: counted(notices?.waiting), kinds: [], isWarn: (notices?.waiting ?? 0) > 0 },
  ];
}

/** The service's health at a glance. */
export const Glance: FC<{ health: Health }> = ({ health }) => {
  const t = useWords(deskHealth);
  const { lang } = useView();
  const isOpen = ({ kinds, start = "" }: Line) =>
    health.alerts?.some(({ kind, subject }) => kinds.includes(kind) && subject.startsWith(start)) ?? false;
  return (
    <Card title={t.glance}>
      <dl class="glance">
        {linesOf(health, t, lang).map((line) => {
          const { name, text, isWarn = false } = line;
          const tone = isOpen(line) ? "bad" : text === null || isWarn ? "warn" : "ok";
          return (
            <div>
              <dt>{t.glances[name]}</dt>
              <dd>
                <span class={`pill ${tone}`}>{text ?? t.unknown}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </Card>
  );
};

/** A notice above the desk's first page while alerts are open; `count` is null where it is not known. */
export const DeskAlerts: FC<{ count: number | null }> = ({ count: open }) => {
  const t = useWords(deskHealth);
  const { at, lang } = useView();
  if (open === 0) return null;
  return (
    <Notice tone="bad">
      {t.moreAlerts(open === null ? t.unknown : count(open, lang))} <a href={at("/desk/health")}>{t.toHealth}</a>
    </Notice>
  );
};
