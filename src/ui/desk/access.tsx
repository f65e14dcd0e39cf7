import type { FC } from "hono/jsx";
import { useView, useWords } from "../view.ts";
import { deskAccess } from "./words.ts";

/** The desk stays closed to this request, or to this role; `signOut` is where another operator can sign in instead. */
export const DeskClosed: FC<{ sentence: string; signOut: string | null }> = ({ sentence, signOut }) => {
  const t = useWords(deskAccess);
  const { at } = useView();
  return (
    <section class="card failure">
      <h1>{t.closedTitle}</h1>
      <p>{sentence}</p>
      <p>
        <a class="btn" href={at("/desk")}>
          {t.backToDesk}
        </a>{" "}
        {signOut !== null && (
          <a class="btn quiet" href={signOut}>
            {t.accessSignOut}
          </a>
        )}
      </p>
    </section>
  );
};
