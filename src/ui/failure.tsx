import type { FC } from "hono/jsx";
import type { Failure } from "../http/errors.ts";
import { useView, useWords } from "./view.ts";
import { shell } from "./words/shell.ts";

/** What went wrong, in one sentence, with a link to the overview, or to the sign-in. */
export const FailureNotice: FC<{ failure: Failure; requestId: string }> = ({ failure, requestId }) => {
  const t = useWords(shell);
  const { at, person } = useView();
  const lost = failure.code === "not_found";
  return (
    <section class="card failure">
      <h1>{lost ? t.notFound : t.wentWrong}</h1>
      <p>{lost ? t.notFoundHint : failure.error}</p>
      {failure.hint !== undefined && <p class="dim">{failure.hint}</p>}
      <p>
        <a class="btn" href={at(person ? "/" : "/sign-in")}>
          {person ? t.backHome : t.signIn}
        </a>
      </p>
      <p class="dim small">
        {t.requestId} <code>{requestId}</code>
      </p>
    </section>
  );
};
