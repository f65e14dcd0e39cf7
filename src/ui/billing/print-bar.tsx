import type { FC } from "hono/jsx";
import type { Lang } from "../lang.ts";
import { invoiceWords } from "../words/invoice.ts";

interface PrintBarProps {
  lang: Lang;
  /** Name of the document, for screen readers. */
  label: string;
  /** The page to go back to, and the words of its link. */
  back: { href: string; label: string };
}

/** What is above a document on the screen, and not on its paper: the way back, and the button that prints it. */
export const PrintBar: FC<PrintBarProps> = ({ lang, label, back }) => {
  const t = invoiceWords[lang];
  return (
    <nav class="actions no-print" aria-label={label}>
      <a class="btn quiet" href={back.href}>
        {back.label}
      </a>
      <button type="button" class="btn" data-print hidden>
        {t.print}
      </button>
      <p class="dim small">{t.hint}</p>
    </nav>
  );
};
