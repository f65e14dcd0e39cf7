import type { FC } from "hono/jsx";
import type { Failure } from "../http/errors.ts";
import { useView, useWords } from "./view.ts";
import { failureText } from "./words/failures.ts";
import { shell } from "./words/shell.ts";

/** What went wrong, in one sentence, with a link to the overview, or to the sign-in. */
export const FailureNotice: FC<{ failure: Failure; requestId: string }> = ({ failure, requestId }) => {
  const t = useWords(shell);
  const { at, lang, person } = useView();
  const lost = failure.code === "not_found";
  const { error, hint } = failureText(failure, lang);
  return (
    <section class="card failure">
      <h1>{lost ? t.notFound : t.wentWrong}</h1>
      <p>{error}</p>
      {hint !== undefined && <p class="dim">{hint}</p>}
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
