import type { Context } from "hono";
import type { FC } from "hono/jsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, personOf, safeNext, signedIn } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { Person } from "../../model/person.ts";
import { confirmByPassword } from "../../sign-in/by-password.ts";
import { currentChallenge } from "../../sign-in/challenges.ts";
import { isDemo } from "../../sign-in/people.ts";
import { askConfirmation, confirmByCode, enterAs } from "../../sign-in/sign-in.ts";
import { phoneText } from "../../ui/format.ts";
import { Field } from "../../ui/parts.tsx";
import { CodeForm, GateCard, NextField, Or } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import { refuseForm, showGate, unanswered, unproved, unsent, wordsOf } from "./gate.tsx";

interface ConfirmProps {
  person: Person;
  next: string;
  /** Whether this is the demo customer, who confirms with a single button. */
  demo: boolean;
  /** Where the code was sent; null if none was requested. */
  sentTo: string | null;
  /** Whether that code replaced an earlier one. */
  again: boolean;
  error?: string | undefined;
}

const Ways: FC<ConfirmProps> = ({ person, next, demo }) => {
  const t = useWords(signIn);
  const { at } = useView();
  const { phone, password } = person;
  return (
    <>
      {demo && (
        <form method="post" action={at("/confirm/demo")}>
          <NextField next={next} />
          <button class="btn wide">{t.confirmDemo}</button>
        </form>
      )}
      {demo && (phone !== null || password !== null) && <Or />}
      {phone !== null && (
        <form method="post" action={at("/confirm/send")}>
          <NextField next={next} />
          <button class="btn wide">{t.confirmSend(phoneText(phone))}</button>
        </form>
      )}
      {phone !== null && password !== null && <Or />}
      {password !== null && (
        <form method="post" action={at("/confirm/password")} class="stack">
          <NextField next={next} />
          {/* For password managers: the account that the password belongs to. */}
          <input type="email" autocomplete="username" value={person.email ?? ""} readonly hidden />
          <Field label={t.password} name="password" type="password" autocomplete="current-password" required />
          <button class="btn quiet wide">{t.confirmPassword}</button>
        </form>
      )}
      {!demo && phone === null && password === null && <p>{t.confirmNone}</p>}
    </>
  );
};

const ConfirmPage: FC<ConfirmProps> = (props) => {
  const t = useWords(signIn);
  const { at } = useView();
  const { sentTo, next, again, error } = props;
  return (
    <GateCard title={t.confirmTitle} lead={t.confirmLead} error={sentTo === null ? error : undefined}>
      {sentTo === null ? (
        <Ways {...props} />
      ) : (
        <CodeForm
          action="/confirm/code"
          resend="/confirm/resend"
          next={next}
          phone={sentTo}
          again={again}
          error={error}
        />
      )}
      <p class="gate-links">
        <a class="ghost" href={at("/")}>
          {t.cancel}
        </a>
      </p>
    </GateCard>
  );
};

/** Shows the ways to confirm, or the form for the code; with the reason if a form was refused. */
async function showConfirm(
  c: Context<AppEnv>,
  next: string,
  { coded = false, refused }: { coded?: boolean; refused?: Refused } = {},
): Promise<Response> {
  const person = personOf(c);
  const challenge = coded ? await currentChallenge(c, "confirm") : null;
  const sentTo = challenge?.payload["personId"] === person.id ? challenge.phone : null;
  const demo = isDemo(settings(c), person);
  const again = c.req.query("again") !== undefined;
  const props = { person, next, demo, sentTo, again, error: refused?.error };
  const content = <ConfirmPage {...props} />;
  const title = wordsOf(c).confirmTitle;
  return refused ? refuseForm(c, refused, title, content) : showGate(c, title, content);
}

const codePath = (c: Context<AppEnv>, next: string) => at(c, `/confirm/code?next=${encodeURIComponent(next)}`);

function addCode(app: Api): void {
  for (const path of ["/confirm/send", "/confirm/resend"] as const) {
    app.post(path, page, signedIn, async (c) => {
      const person = personOf(c);
      const next = safeNext((await formOf(c))["next"]);
      const { phone } = person;
      if (phone === null) return showConfirm(c, next);
      const sent = await askConfirmation(c, person, phone, next);
      const again = path === "/confirm/resend";
      if (sent.ok) return c.redirect(codePath(c, next) + (again ? "&again=1" : ""), 303);
      return showConfirm(c, next, { coded: again, refused: unsent(c, sent) });
    });
  }

  app.get("/confirm/code", page, signedIn, (c) => showConfirm(c, safeNext(c.req.query("next")), { coded: true }));

  app.post("/confirm/code", page, signedIn, async (c) => {
    const form = await formOf(c);
    const done = await confirmByCode(c, personOf(c), form["code"] ?? "");
    if (done.ok) return c.redirect(at(c, safeNext(done.next)), 303);
    return showConfirm(c, safeNext(form["next"]), { coded: true, refused: unanswered(c, done) });
  });
}

/** `/confirm`: the person proves their identity again; the session becomes fresh and gets a new token. */
export const confirmPages = (app: Api) => {
  app.get("/confirm", page, signedIn, (c) => showConfirm(c, safeNext(c.req.query("next"))));
  addCode(app);
  // Changing the language on a form's reply leads back to the form's address, by GET.
  app.get("/confirm/:step", page, signedIn, (c) => c.redirect(at(c, "/confirm"), 303));

  app.post("/confirm/password", page, signedIn, async (c) => {
    const t = wordsOf(c);
    const form = await formOf(c);
    const next = safeNext(form["next"]);
    const done = await confirmByPassword(c, personOf(c), form["password"] ?? "");
    if (done.ok) return c.redirect(at(c, next), 303);
    return showConfirm(c, next, { refused: unproved(c, done, t.passwordWrong) });
  });

  app.post("/confirm/demo", page, signedIn, async (c) => {
    const person = personOf(c);
    if (!isDemo(settings(c), person)) return fail("not_found", wordsOf(c).noDemo, { forReader: true });
    await enterAs(c, person, "demo");
    return c.redirect(at(c, safeNext((await formOf(c))["next"])), 303);
  });
};
