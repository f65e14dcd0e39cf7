import type { Context } from "hono";
import type { FC } from "hono/jsx";
import { formOf } from "../../console/forms.ts";
import { at, page, safeNext } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { checkAnswerOf } from "../../sign-in/bot-check.ts";
import type { BotCheck } from "../../sign-in/bot-check.ts";
import { commonPasswords, passwordFault } from "../../sign-in/passwords.ts";
import { emailOf, nameOf } from "../../sign-in/people.ts";
import { askSignUp } from "../../sign-in/sign-in.ts";
import { phoneOf } from "../../text/phones.ts";
import { BotCheckBox } from "../../ui/bot-check.tsx";
import { Field } from "../../ui/parts.tsx";
import { GateCard, NextField, PhoneField } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import { checkOf, phoneFaultOf, refuseForm, showGate, unsent, wordsOf } from "./gate.tsx";

interface SignUpForm {
  next: string;
  name: string;
  email: string;
  phone: string;
}

type Faults = Partial<Record<"email" | "phone" | "password", string>>;

const SignUpPage: FC<SignUpForm & { faults?: Faults; error?: string; check?: BotCheck | undefined }> = ({
  next,
  name,
  email,
  phone,
  faults = {},
  error,
  check,
}) => {
  const t = useWords(signIn);
  const { at } = useView();
  return (
    <GateCard title={t.upTitle} lead={t.upLead} error={check ? undefined : error}>
      <form method="post" action={at("/sign-up")} class="stack">
        <NextField next={next} />
        <Field label={t.name} name="name" value={name} autocomplete="name" maxlength={80} autofocus />
        <Field
          label={t.email}
          name="email"
          type="email"
          value={email}
          autocomplete="username"
          required
          error={faults.email}
        />
        <Field
          label={t.password}
          name="password"
          type="password"
          hint={t.passwordHint}
          autocomplete="new-password"
          required
          error={faults.password}
        />
        <PhoneField value={phone} error={faults.phone} />
        {check && <BotCheckBox {...check} />}
        <button class="btn wide">{t.upSubmit}</button>
      </form>
      <p class="gate-foot">
        {t.haveAccount} <a href={at("/sign-in")}>{t.title}</a>
      </p>
    </GateCard>
  );
};

/** The valid fields of a form, or what is wrong with it, by field. */
async function read(c: Context<AppEnv>, form: Record<string, string>) {
  const t = wordsOf(c);
  const password = form["password"] ?? "";
  const email = emailOf(form["email"] ?? "");
  const phone = phoneOf(form["phone"] ?? "");
  const name = nameOf(form["name"] ?? "");
  const known = [email ?? "", phone ?? "", phone?.slice(3) ?? "", name];
  const weak = passwordFault(password, known, await commonPasswords(c.env));
  if (email !== null && phone !== null && weak === null) return { ok: true, email, phone, password, name } as const;
  const faults: Faults = {
    ...(email === null && { email: t.emailFault }),
    ...(phone === null && { phone: phoneFaultOf(c, form["phone"] ?? "") }),
    ...(weak !== null && { password: t.passwordFaults[weak] }),
  };
  return { ok: false, faults } as const;
}

/** `/sign-up`: by e-mail and password, confirmed by a code to the phone. */
export const signUpPages = (app: Api) => {
  app.get("/sign-up", page, (c) => {
    const next = safeNext(c.req.query("next"));
    return showGate(c, wordsOf(c).upTitle, <SignUpPage next={next} name="" email="" phone="" />);
  });

  app.post("/sign-up", page, async (c) => {
    const t = wordsOf(c);
    const form = await formOf(c);
    const next = safeNext(form["next"]);
    const typed = { next, name: form["name"] ?? "", email: form["email"] ?? "", phone: form["phone"] ?? "" };
    const asked = await read(c, form);
    if (!asked.ok) {
      const error = Object.values(asked.faults)[0] ?? "";
      const refused = { code: "invalid_request", error } as const;
      return refuseForm(c, refused, t.upTitle, <SignUpPage {...typed} faults={asked.faults} />);
    }
    const sent = await askSignUp(c, { ...asked, next }, checkAnswerOf(form));
    if (sent.ok) return c.redirect(at(c, "/sign-in/code"), 303);
    const refused = unsent(c, sent);
    const check = checkOf(c, sent);
    return refuseForm(c, refused, t.upTitle, <SignUpPage {...typed} error={refused.error} check={check} />);
  });
};
