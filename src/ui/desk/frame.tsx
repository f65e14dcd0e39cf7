import type { FC, PropsWithChildren } from "hono/jsx";
import { PRODUCT } from "../../config/settings.ts";
import { mayDo } from "../../model/operator.ts";
import type { Permission } from "../../model/operator.ts";
import { PLANS } from "../../money/plans.ts";
import { Icon, Mark } from "../icons.tsx";
import { Preferences } from "../layout.tsx";
import { Choice, Field, Notice, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess, deskWords } from "./words.ts";
import { shell } from "../words/shell.ts";

// The frame of the operator's pages, their sign-in, and the parts that several of them use.

/** The operator's pages, in their order. */
export const DESK_TABS = {
  accounts: "/desk",
  health: "/desk/health",
  carriers: "/desk/carriers",
  routes: "/desk/routes",
  card: "/desk/rate-card",
  payments: "/desk/payments",
  queues: "/desk/queues",
  reconcile: "/desk/reconcile",
  leaving: "/desk/leaving",
  audit: "/desk/audit",
  sessions: "/desk/sessions",
} as const;

export type DeskTab = keyof typeof DESK_TABS;

/** Whether the operator who looks at the page may do this; a page offers nothing that would be refused. */
export function useMay(permission: Permission): boolean {
  const { operator } = useView();
  return operator !== null && mayDo(operator.role, permission);
}

/** Head and tabs of every page of the operator. */
export const DeskFrame: FC<PropsWithChildren<{ tab: DeskTab }>> = ({ tab, children }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  const labels = { ...t.tabs, ...useWords(deskAccess).tabs };
  const tabs = Object.entries(DESK_TABS) as [DeskTab, string][];
  return (
    <>
      <div class="deskhead">
        <a class="brand" href={at("/desk")}>
          <Mark />
          <b>{PRODUCT}</b>
          <span class="dim">{t.desk}</span>
        </a>
        <div class="deskfoot">
          <Preferences />
          <form method="post" action={at("/desk/sign-out")}>
            <button class="ghost">
              <Icon name="out" />
              {useWords(shell).signOut}
            </button>
          </form>
        </div>
      </div>
      <nav class="desktabs" aria-label={t.desk}>
        {tabs.map(([id, path]) => (
          <a href={at(path)} {...(id === tab && { "aria-current": "page" })}>
            {labels[id]}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
};

/** The sign-in, which asks for the operator's token. */
export const DeskDoor: FC<{ next: string; fault: FormFault | undefined }> = ({ next, fault }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <div class="deskhead">
        <span class="brand">
          <Mark />
          <b>{PRODUCT}</b>
        </span>
        <Preferences />
      </div>
      <section class="card stack deskdoor">
        <h1>{t.signInTitle}</h1>
        <p class="dim">{t.signInLead}</p>
        <form class="stack" method="post" action={at("/desk/sign-in")}>
          <input type="hidden" name="next" value={next} />
          {/* For password managers, which store no password without a user name. */}
          <input hidden name="holder" value="operator" autocomplete="username" readonly />
          <Field
            label={t.token}
            name="token"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            error={faultAt(fault, "token")}
          />
          <div>
            <button class="btn">{t.signIn}</button>
          </div>
        </form>
      </section>
    </>
  );
};

/**
 * A wide table, which scrolls by itself on a phone. Where it is `stacked`, its rows are lists there, and each cell has its
 * head in `data-head`.
 */
export const Wide: FC<
  PropsWithChildren<{ label: string; heads: readonly (string | { num: string })[]; stacked?: boolean }>
> = ({ label, heads, stacked = false, children }) => (
  <div class={stacked ? "scroll stacked" : "scroll"} tabindex={0} role="region" aria-label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head) =>
            typeof head === "string" ? (
              <th scope="col">{head}</th>
            ) : (
              <th scope="col" class="num">
                {head.num}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** The status of an account, as a word and a colour. */
export const StatusPill: FC<{ status: string }> = ({ status }) => {
  const t = useWords(shell);
  const known = status === "suspended" || status === "closing" ? status : "active";
  return <span class={`pill ${known === "active" ? "ok" : "bad"}`}>{t.status[known]}</span>;
};

/** A select field for the plan. */
export const PlanChoice: FC<{ value: string }> = ({ value }) => {
  const t = useWords(shell);
  const options = (Object.keys(PLANS) as (keyof typeof PLANS)[]).map((plan) => ({ value: plan, label: t.plans[plan] }));
  return <Choice label={useWords(deskWords).plan} name="plan" value={value} options={options} />;
};

/** The notice above a page that says what was done. */
export const DeskDone: FC<{ done: string | undefined }> = ({ done }) =>
  done === undefined ? null : <Notice tone="ok">{done}</Notice>;
