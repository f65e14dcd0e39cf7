import type { FC } from "hono/jsx";
import type { Delivery } from "../../alerts/channel.ts";
import type { Alert } from "../../model/alert.ts";
import { deliveredShare, deliveredWithinSec, endedIn } from "../../model/delivery.ts";
import type { Tally } from "../../model/delivery.ts";
import type { Health } from "../../operator/health.ts";
import { count } from "../format.ts";
import { Card, Empty, Notice, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess, deskHealth, deskWords } from "./words.ts";
import { Wide, useMay } from "./frame.tsx";
import { Glance, ageText, percentText } from "./health-glance.tsx";

// The operator's page of the service's health.

const AlertRow: FC<{ of: Alert }> = ({ of: { kind, subject, firstAt, lastAt, count: times, values } }) => {
  const t = useWords(deskHealth);
  const { lang } = useView();
  return (
    <tr>
      <td class="deskwhy">
        {t.meanings[kind]}
        <br />
        <span class="dim small">{t.runbook(kind)}</span>
      </td>
      <td class="id" lang="en">
        {subject === "" ? "–" : <code>{subject}</code>}
      </td>
      <td>
        <Time at={firstAt} />
      </td>
      <td>
        <Time at={lastAt} />
      </td>
      <td class="num">{count(times, lang)}</td>
      <td class="deskwhy" lang="en">
        <code class="small">
          {Object.entries(values)
            .map(([name, value]) => `${name}=${value}`)
            .join(" ")}
        </code>
      </td>
    </tr>
  );
};

const Alerts: FC<{ alerts: Alert[] | null }> = ({ alerts }) => {
  const t = useWords(deskHealth);
  const { times, since, raised, alert, subject, figures } = t;
  if (alerts === null) return <Notice tone="bad">{`${t.openAlerts}: ${t.unknown}`}</Notice>;
  return (
    <Card title={t.openAlerts}>
      {alerts.length === 0 ? (
        <Empty icon="check" title={t.noAlerts}>
          <p>{t.noAlertsHint}</p>
        </Empty>
      ) : (
        <Wide label={t.openAlerts} heads={[alert, subject, since, raised, { num: times }, figures]}>
          {alerts.map((one) => (
            <AlertRow of={one} />
          ))}
        </Wide>
      )}
    </Card>
  );
};

const DeliveryRow: FC<{ of: Tally }> = ({ of }) => {
  const t = useWords(deskHealth);
  const { lang } = useView();
  const share = deliveredShare(of);
  const within = (part: number) => {
    const sec = deliveredWithinSec(of, part);
    if (sec === null) return "–";
    return sec === Infinity ? t.over(ageText(1_800_000, t, lang)) : ageText(sec * 1_000, t, lang);
  };
  return (
    <tr>
      <td>{of.carrier === "" ? t.noCarrier : <code>{of.carrier}</code>}</td>
      <td class="num">{share === null ? "–" : percentText(share, lang)}</td>
      <td class="num">{count(endedIn(of), lang)}</td>
      <td class="num">{within(0.5)}</td>
      <td class="num">{within(0.95)}</td>
    </tr>
  );
};

const Deliveries: FC<{ tallies: Health["lastHour"] }> = ({ tallies }) => {
  const t = useWords(deskHealth);
  return (
    <Card title={t.deliveries}>
      <p class="dim small">{t.deliveriesLead}</p>
      {tallies === null && <p>{t.unknown}</p>}
      {tallies?.length === 0 && <p>{t.noDeliveries}</p>}
      {tallies !== null && tallies.length > 0 && (
        <Wide
          label={t.deliveries}
          heads={[t.carrierHead, { num: t.share }, { num: t.ended }, { num: t.half }, { num: t.most }]}
        >
          {tallies.map((tally) => (
            <DeliveryRow of={tally} />
          ))}
        </Wide>
      )}
    </Card>
  );
};

const Queues: FC<{ of: Health }> = ({ of: { at, queues } }) => {
  const t = useWords(deskHealth);
  const d = useWords(deskWords);
  const { lang } = useView();
  return (
    <Card title={t.queues}>
      <p class="dim small">{t.queuesLead}</p>
      <Wide label={t.queues} heads={[d.queue, { num: d.depth }, { num: t.age }]}>
        {(queues ?? []).map(({ queue, waiting, oldestAt }) => (
          <tr>
            <td>{d.queueNames[queue]}</td>
            <td class="num">{waiting === null ? t.unknown : count(waiting, lang)}</td>
            <td class="num">{oldestAt === null ? "–" : ageText(at - oldestAt, t, lang)}</td>
          </tr>
        ))}
      </Wide>
    </Card>
  );
};

const Waits: FC<{ waits: Health["waits"] }> = ({ waits }) => {
  const t = useWords(deskHealth);
  const d = useWords(deskWords);
  const { lang } = useView();
  return (
    <Card title={t.waitsTitle}>
      <p class="dim small">{t.waitsLead}</p>
      {waits === null && <p>{t.unknown}</p>}
      {waits?.length === 0 && <p>{t.noWaits}</p>}
      {waits !== null && waits.length > 0 && (
        <Wide label={t.waitsTitle} heads={[t.lane, t.carrierHead, t.created, t.seen, { num: t.accounts }]}>
          {waits.map(({ lane, carrier, oldestAt, seenAt, accounts }) => (
            <tr>
              <td>{d.queueNames[lane]}</td>
              <td>{carrier === "" ? t.noCarrier : <code>{carrier}</code>}</td>
              <td>
                <Time at={oldestAt} />
              </td>
              <td>
                <Time at={seenAt} />
              </td>
              <td class="num">{count(accounts, lang)}</td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};

const Databases: FC<{ databases: Health["databases"] }> = ({ databases }) => {
  const t = useWords(deskHealth);
  const { lang } = useView();
  return (
    <Card title={t.databases}>
      <Wide label={t.databases} heads={[t.database, { num: t.size }, { num: t.fill }]}>
        {(databases ?? []).map(({ name, bytes, max }) => (
          <tr>
            <td>
              <code>{name}</code>
            </td>
            <td class="num">{bytes === null ? t.unknown : t.megabytes(count(Math.ceil(bytes / 1_000_000), lang))}</td>
            <td class="num">{bytes === null ? "–" : percentText(bytes / max, lang)}</td>
          </tr>
        ))}
      </Wide>
    </Card>
  );
};

/** What came of a test notice; null where no channel is configured. */
const Tested: FC<{ of: Delivery | null }> = ({ of }) => {
  const t = useWords(deskHealth);
  const { lang } = useView();
  if (of === null) return <Notice tone="info">{t.noChannel}</Notice>;
  const said = of.ok ? t.testTaken : t.testRefused;
  return (
    <Notice tone={of.ok ? "ok" : "bad"}>
      {of.status === null ? t.testLost : said(String(of.status), count(of.tookMs, lang))}
      {of.answer !== "" && (
        <p class="small deskwhy">
          {t.answer}:{" "}
          <code lang="en" dir="auto">
            {of.answer}
          </code>
        </p>
      )}
    </Notice>
  );
};

const Channel: FC<{ hasChannel: boolean }> = ({ hasChannel }) => {
  const t = useWords(deskHealth);
  const { at } = useView();
  return (
    <Card title={t.channel}>
      <p class="dim small">{hasChannel ? t.channelLead : t.noChannel}</p>
      {hasChannel && useMay("alerts") && (
        <form method="post" action={at("/desk/health/test")}>
          <button class="btn quiet">{t.tryIt}</button>
        </form>
      )}
    </Card>
  );
};

/** The page of health; `tested` is what came of a test notice, null without a channel, undefined where none was sent. */
export const DeskHealth: FC<{ health: Health; hasChannel: boolean; tested?: Delivery | null | undefined }> = ({
  health,
  hasChannel,
  tested,
}) => {
  const t = useWords(deskHealth);
  return (
    <>
      <PageHead title={useWords(deskAccess).tabs.health} lead={t.lead}>
        <Time at={health.at} />
      </PageHead>
      {tested !== undefined && <Tested of={tested} />}
      <Glance health={health} />
      <Alerts alerts={health.alerts} />
      <Deliveries tallies={health.lastHour} />
      <Waits waits={health.waits} />
      <div class="deskcols">
        <Queues of={health} />
        <Databases databases={health.databases} />
      </div>
      <Channel hasChannel={hasChannel} />
    </>
  );
};
