import type { FC } from "hono/jsx";
import { archiveName } from "../../model/archive.ts";
import type { ArchivePage, Manifest } from "../../model/archive.ts";
import { count, monthText, sizeText } from "../format.ts";
import { Card, Empty, Older, PageHead } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { archiveWords } from "../words/archives.ts";
import { settingsWords } from "../words/settings.ts";

// The archive of an account: its files by month, to download.

const Row: FC<{ of: Manifest }> = ({ of }) => {
  const t = useWords(archiveWords);
  const { at, lang } = useView();
  const name = archiveName(of);
  return (
    <tr>
      <td>{monthText(of.month, lang)}</td>
      <td class="num">{count(of.lines.job + of.lines.ledger_entry, lang)}</td>
      <td class="num">{sizeText(of.file.bytes)}</td>
      <td class="num">
        <a
          class="btn quiet small"
          href={at(`/settings/archives/${name}`)}
          download={name}
          aria-label={`${t.download}: ${name}`}
        >
          {t.download}
        </a>
      </td>
    </tr>
  );
};

/** The page: oldest first. `days`: how long messages are kept in the account. */
export const ArchivesPage: FC<{ page: ArchivePage; days: number }> = ({ page: { manifests, hasMore }, days }) => {
  const t = useWords(archiveWords);
  const { at, lang, mode } = useView();
  const last = manifests.at(-1);
  const shownDays = count(days, lang);
  return (
    <>
      <PageHead title={t.title} lead={mode === "test" ? t.leadTest(shownDays) : t.lead(shownDays)}>
        <a class="btn quiet" href={at("/settings")}>
          {useWords(settingsWords).title}
        </a>
      </PageHead>
      <Card>
        {manifests.length === 0 ? (
          <Empty icon="settings" title={t.nothing} />
        ) : (
          <>
            <div class="scroll" tabindex={0} role="region" aria-label={t.scroll}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.month}</th>
                    <th scope="col" class="num">
                      {t.entries}
                    </th>
                    <th scope="col" class="num">
                      {t.size}
                    </th>
                    <th scope="col" class="num">
                      {t.file}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {manifests.map((one) => (
                    <Row of={one} />
                  ))}
                </tbody>
              </table>
            </div>
            <p class="dim small">{t.form}</p>
          </>
        )}
        {hasMore && last && <Older href={at(`/settings/archives?after=${last.first}`)} />}
      </Card>
    </>
  );
};

/** The card of the settings page that leads there. */
export const ArchiveCard: FC = () => {
  const t = useWords(archiveWords);
  return (
    <Card title={t.link}>
      <p class="dim small">{t.linkLead}</p>
      <p>
        <a class="btn quiet" href={useView().at("/settings/archives")}>
          {t.link}
        </a>
      </p>
    </Card>
  );
};
