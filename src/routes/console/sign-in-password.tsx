import type { Context } from "hono";
import type { FC } from "hono/jsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, safeNext } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { personAtSecondStep, signInByPassword, signInBySecondCode } from "../../sign-in/by-password.ts";
import type { ByPassword } from "../../sign-in/by-password.ts";
import { askAgain } from "../../sign-in/challenges.ts";
import { emailOf } from "../../sign-in/people.ts";
import { maskedPhone } from "../../ui/format.ts";
import { Field, Notice } from "../../ui/parts.tsx";
import { CodeForm, GateCard, NextField, Or } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { peopleWords } from "../../ui/words/people.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import { nextQuery, peopleWordsOf, refuseForm, showGate, unanswered, unproved, unsent, wordsOf } from "./gate.tsx";

interface PasswordProps {
  next: string;
  error?: string;
  value?: string;
  /** What just happened, in a sentence. */
  note?: string | undefined;
}

const PasswordPage: FC<PasswordProps> = ({ next, error, value, note }) => {
  const t = useWords(signIn);
  const { at } = useView();
  return (
    <GateCard title={t.passwordTitle} error={error}>
      {note !== undefined && <Notice tone="ok">{note}</Notice>}
      <form method="post" action={at("/sign-in/password")} class="stack">
        <NextField next={next} />
        <Field label={t.email} name="email" type="email" autocomplete="username" value={value} required autofocus />
        <Field label={t.password} name="password" type="password" autocomplete="current-password" required />
        <button class="btn wide">{t.submit}</button>
      </form>
      <p class="gate-links">
        <a class="ghost" href={at("/sign-in/forgot")}>
          {useWords(peopleWords).forgot}
        </a>
      </p>
      <Or />
      <a class="btn quiet wide" href={at(`/sign-in${nextQuery(next)}`)}>
        {t.byPhone}
      </a>
      <p class="gate-foot">
        {t.noAccount} <a href={at(`/sign-up${nextQuery(next)}`)}>{t.create}</a>
      </p>
    </GateCard>
  );
};

const SecondPage: FC<{ phone: string; again?: boolean; error?: string }> = ({ phone, again = false, error }) => {
  const { at } = useView();
  const t = useWords(peopleWords);
  return (
    <GateCard title={useWords(signIn).codeTitle} lead={t.newBrowser}>
      <CodeForm
        action="/sign-in/password/code"
        resend="/sign-in/password/resend"
        phone={maskedPhone(phone)}
        again={again}
        error={error}
      />
      <p class="gate-links">
        <a class="ghost" href={at("/sign-in/password/lost")}>
          {t.lostPhone}
        </a>
        <a class="ghost" href={at("/sign-in/password")}>
          {t.backToPassword}
        </a>
      </p>
    </GateCard>
  );
};

/** The form for the code that follows a right password; without one, the form for the password. */
async function showSecond(c: Context<AppEnv>, refused?: Refused): Promise<Response> {
  const { phone = null } = (await personAtSecondStep(c)) ?? {};
  if (phone === null) return c.redirect(at(c, "/sign-in/password"), 303);
  const title = wordsOf(c).codeTitle;
  return refused
    ? refuseForm(c, refused, title, <SecondPage phone={phone} error={refused.error} />)
    : showGate(c, title, <SecondPage phone={phone} again={c.req.query("again") !== undefined} />);
}

/** Why a password did not sign in. */
function refusedPassword(c: Context<AppEnv>, done: Exclude<ByPassword, { ok: true }>): Refused {
  if (done.reason !== "unsent") return unproved(c, done, wordsOf(c).wrong);
  const refused = unsent(c, done.sent);
  return done.sent.reason === "not_offered" ? { ...refused, error: peopleWordsOf(c).secondNotOffered } : refused;
}

function addSecond(app: Api): void {
  app.get("/sign-in/password/code", page, (c) => showSecond(c));

  app.post("/sign-in/password/code", page, async (c) => {
    const done = await signInBySecondCode(c, (await formOf(c))["code"] ?? "");
    return done.ok ? c.redirect(at(c, safeNext(done.next)), 303) : showSecond(c, unanswered(c, done));
  });

  app.get("/sign-in/password/resend", (c) => c.redirect(at(c, "/sign-in/password/code"), 303));

  app.post("/sign-in/password/resend", page, async (c) => {
    // A challenge whose person has a new phone or password is over: no further code goes to the old phone.
    const sent = (await personAtSecondStep(c))
      ? await askAgain(c, "password")
      : ({ ok: false, reason: "over" } as const);
    return sent.ok ? c.redirect(at(c, "/sign-in/password/code?again=1"), 303) : showSecond(c, unsent(c, sent));
  });
}

/** `/sign-in/password`: e-mail and password and, from a browser that the person does not know, a code. */
export const signInPassword = (app: Api) => {
  app.get("/sign-in/password", page, (c) => {
    const note = c.req.query("note") === "wait" ? peopleWordsOf(c).saved.wait : undefined;
    return showGate(c, wordsOf(c).passwordTitle, <PasswordPage next={safeNext(c.req.query("next"))} note={note} />);
  });

  app.post("/sign-in/password", page, async (c) => {
    const t = wordsOf(c);
    const form = await formOf(c);
    const next = safeNext(form["next"]);
    const typed = form["email"] ?? "";
    const again = (refused: Refused) =>
      refuseForm(c, refused, t.passwordTitle, <PasswordPage next={next} value={typed} error={refused.error} />);
    const email = emailOf(typed);
    if (email === null) return again({ code: "invalid_request", error: t.emailFault });
    const done = await signInByPassword(c, { email, password: form["password"] ?? "", next });
    if (done.ok) return c.redirect(at(c, done.coded ? "/sign-in/password/code" : next), 303);
    return again(refusedPassword(c, done));
  });

  addSecond(app);
};
