import type { FC } from "hono/jsx";
import type { ActDetails, RecordedAct } from "../../model/audit.ts";
import { unitsFromCoins } from "../../money/money.ts";
import { rupees } from "../format.ts";
import { useView, useWords } from "../view.ts";
import { auditWords } from "../words/audit.ts";
import { shell } from "../words/shell.ts";

// How the acts of the audit trail look, to the operator and to customers.

const IN_COINS: ReadonlySet<string> = new Set(["amount", "total", "balance", "rate"]);

/** A fact's value in the reader's language. */
function useFact(): (name: string, value: ActDetails[string]) => string {
  const t = useWords(auditWords);
  const s = useWords(shell);
  const { lang } = useView();
  const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    plan: s.plans,
    mode: { live: s.live, test: s.test },
    by: t.by,
  };
  return (name, value) => {
    if (value === null) return name === "rate" ? t.planRate : "–";
    if (typeof value === "boolean") return value ? t.yes : t.no;
    const units = typeof value === "number" && IN_COINS.has(name) ? unitsFromCoins(value) : null;
    if (units !== null) return rupees(units, lang);
    const words = known[name] ?? {};
    return Object.hasOwn(words, value) ? (words[value] ?? "") : String(value);
  };
}

/** The facts of an act, one per line; `only` leaves out all others. */
export const ActFacts: FC<{ of: RecordedAct; only?: ReadonlySet<string> }> = ({ of: { details }, only }) => {
  const t = useWords(auditWords);
  const fact = useFact();
  const names: Readonly<Record<string, string>> = t.facts;
  const shown = Object.entries(details).filter(([name, value]) => value !== "" && (only?.has(name) ?? true));
  return (
    <>
      {shown.map(([name, value]) => (
        <div>
          <span class="dim">{Object.hasOwn(names, name) ? names[name] : name}</span> <bdi>{fact(name, value)}</bdi>
        </div>
      ))}
    </>
  );
};
