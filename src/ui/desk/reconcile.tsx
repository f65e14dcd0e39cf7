import type { FC } from "hono/jsx";
import type { Recount } from "../../accounts/reconcile.ts";
import { count } from "../format.ts";
import { Card, Field, Notice, PageHead, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskMoney } from "../words/desk-money.ts";
import { deskWords } from "./words.ts";
import { Wide } from "./frame.tsx";

// The operator's page of reconciliation.

/** Where the next page goes on, of one account or of all. */
const pathOf = (account: string, next: string) =>
  `/desk/reconcile?run=1${account === "" ? "" : `&account=${account}`}&after=${encodeURIComponent(next)}`;

const Outcome: FC<{ of: Recount; account: string }> = ({ of: { differences, accounts, within, next }, account }) => {
  const t = useWords(deskWords);
  const m = useWords(deskMoney);
  const { at, lang } = useView();
  return (
    <>
      <Notice tone={differences.length === 0 ? "ok" : "bad"}>
        {differences.length === 0 ? t.addsUp : `${t.differences}: ${count(differences.length, lang)}`}
        {". "}
        {within === null || accounts > 0 ? t.recounted(count(accounts, lang)) : ""}
      </Notice>
      {within && (
        <Notice tone="info">
          {m.within(count(within.seq, lang))} <code>{within.accountId}</code> {t[within.mode]}
        </Notice>
      )}
      {differences.length > 0 && (
        <Card title={t.differences}>
          <Wide label={t.differences} heads={[t.account, t.kind, t.difference]}>
            {differences.map(({ accountId, mode, kind, detail }) => (
              <tr>
                <td>
                  <a href={at(`/desk/accounts/${accountId}${mode === "test" ? "?mode=test" : ""}`)}>
                    <code>{accountId}</code>
                  </a>{" "}
                  {t[mode]}
                </td>
                <td lang="en">{kind}</td>
                <td class="deskwhy" lang="en">
                  {detail}
                </td>
              </tr>
            ))}
          </Wide>
        </Card>
      )}
      {next !== null && (
        <p>
          <a class="btn quiet" href={at(pathOf(account, next))}>
            {t.goOn}
          </a>
        </p>
      )}
    </>
  );
};

/** Reconciles one account, or all of them page by page. */
export const DeskReconcile: FC<{ account: string; found: Recount | null; fault: FormFault | undefined }> = ({
  account,
  found,
  fault,
}) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.reconcile} lead={t.reconcileLead} />
      <Card>
        <form class="deskline" action={at("/desk/reconcile")}>
          <input type="hidden" name="run" value="1" />
          <Field
            label={t.oneAccount}
            name="account"
            mono
            value={account}
            hint={t.oneHint}
            autocomplete="off"
            error={faultAt(fault, "account")}
          />
          <button class="btn">{t.run}</button>
        </form>
      </Card>
      {found && <Outcome of={found} account={account} />}
    </>
  );
};
