import type { FC } from "hono/jsx";
import { useView, useWords } from "../view.ts";
import { deskAccess } from "./words.ts";

/** The question before an account is suspended, with what it does. */
export const SuspendAccount: FC<{ accountId: string; name: string }> = ({ accountId, name }) => {
  const t = useWords(deskAccess);
  const { at } = useView();
  const account = at(`/desk/accounts/${accountId}`);
  return (
    <section class="card stack keyshown">
      <h1>{t.suspendTitle(name)}</h1>
      <p>
        <code>{accountId}</code>
      </p>
      <p>{t.suspendLead}</p>
      <ul class="deskeffects">
        {t.suspendEffects.map((effect) => (
          <li>{effect}</li>
        ))}
      </ul>
      <form class="actions" method="post" action={`${account}/standing`}>
        <button class="btn danger" name="status" value="suspended">
          {t.suspendNow}
        </button>
        <a class="btn quiet" href={account}>
          {t.cancel}
        </a>
      </form>
    </section>
  );
};
