import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, personOf, sessionOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { closingOf } from "../../leaving/closing.ts";
import { readBuyer } from "../../payments/buyer.ts";
import { admitChange } from "../../sign-in/attempts.ts";
import { changeLogin, renew } from "../../sign-in/credentials.ts";
import { commonPasswords, passwordFault } from "../../sign-in/passwords.ts";
import { changeBuyer, changeName, emailOf, nameOf } from "../../sign-in/people.ts";
import { endOneSession, listSessions } from "../../sign-in/session-list.ts";
import { isFresh, isPhoneFresh } from "../../sign-in/sessions.ts";
import type { Unsaved } from "../../ui/parts.tsx";
import { SettingsPage } from "../../ui/settings/settings.tsx";
import { peopleWords } from "../../ui/words/people.ts";
import { rulesWords } from "../../ui/words/rules.ts";
import { settingsWords } from "../../ui/words/settings.ts";
import { leavingWords } from "../../ui/words/leaving.ts";
import { peopleWordsOf, wordsOf } from "./gate.tsx";

/** Answers with the page, and the notice of what was saved or why a form was refused. */
export async function showSettings(
  c: Context<AppEnv>,
  refused?: Refused & Unsaved,
  note: { saved?: string | undefined; info?: string | undefined } = {},
): Promise<Response> {
  const status = refusedStatus(c, refused);
  const content = (
    <SettingsPage
      person={personOf(c)}
      sessions={await listSessions(c, personOf(c).id)}
      fresh={isFresh(sessionOf(c), Date.now())}
      phoneFresh={isPhoneFresh(sessionOf(c), Date.now())}
      closing={await closingOf(c.env, personOf(c).accountId)}
      rules={await stubOf(c).rules()}
      unsaved={refused}
      {...note}
    />
  );
  const { title } = settingsWords[viewOf(c).lang];
  return show(c, content, { title, active: "settings", status });
}

/** What was done, as the address says it, with a sentence for each. */
const DONE = {
  en: { ...settingsWords.en.saved, ...peopleWords.en.saved, ...leavingWords.en.saved, cap: rulesWords.en.saved },
  hi: { ...settingsWords.hi.saved, ...peopleWords.hi.saved, ...leavingWords.hi.saved, cap: rulesWords.hi.saved },
};

type Saved = keyof (typeof DONE)["en"];

const isSaved = (text: string): text is Saved => Object.hasOwn(DONE.en, text);

export const saved = (c: Context<AppEnv>, what: Saved) => c.redirect(at(c, `/settings?saved=${what}`), 303);

/** Why no further change is made now; the limit of an hour and that of a day have a sentence each. */
function tooMany(c: Context<AppEnv>, retryAfterSec: number): Pick<Refused, "code" | "error" | "retryAfterSec"> {
  const t = settingsWords[viewOf(c).lang];
  const error = retryAfterSec > 3_600 ? peopleWordsOf(c).tooManyToday : t.tooManyChanges;
  return { code: "rate_limited", error, retryAfterSec };
}

function addLogin(app: Api): void {
  app.post("/settings/login", page, signedIn, freshlySignedIn, async (c) => {
    const t = settingsWords[viewOf(c).lang];
    const person = personOf(c);
    const form = await formOf(c);
    const refuse = (field: "email" | "password", error: string, more: Partial<Refused> = {}) =>
      showSettings(c, { code: "invalid_request", error, field, typed: { email: form["email"] ?? "" }, ...more });
    const email = emailOf(form["email"] ?? "");
    if (email === null) return refuse("email", wordsOf(c).emailFault);
    const typed = form["password"] ?? "";
    const password = typed === "" && person.password !== null ? null : typed;
    const known = [email, person.name, person.phone ?? "", person.phone?.slice(3) ?? ""];
    const weak = password === null ? null : passwordFault(password, known, await commonPasswords(c.env));
    if (weak !== null) return refuse("password", wordsOf(c).passwordFaults[weak]);
    if (email === person.email && password === null) return saved(c, "login");
    const verdict = await admitChange(c, person.id);
    if (!verdict.ok) {
      const { error, ...rest } = tooMany(c, verdict.retryAfterSec);
      return refuse(email === person.email ? "password" : "email", error, rest);
    }
    if (!(await changeLogin(c, person, { email, password }))) return refuse("email", t.emailTaken);
    if (email !== person.email) await audit(c, { action: "person.email" });
    if (password !== null) await audit(c, { action: "person.password" });
    return saved(c, password === null ? "email" : "password");
  });
}

/** `/settings`, except the change of phone. */
export const settingsPages = (app: Api) => {
  app.get("/settings", page, signedIn, (c) => {
    const { lang } = viewOf(c);
    const { saved: done = "", note = "" } = c.req.query();
    const notes = new Map([
      ["email", settingsWords[lang].emailNote],
      ["password", peopleWords[lang].setPassword],
    ]);
    return showSettings(c, undefined, { saved: isSaved(done) ? DONE[lang][done] : undefined, info: notes.get(note) });
  });

  app.post("/settings/name", page, signedIn, async (c) => {
    await changeName(c.env, personOf(c).id, nameOf((await formOf(c))["name"] ?? ""));
    await audit(c, { action: "person.name" });
    return saved(c, "name");
  });

  addLogin(app);

  app.post("/settings/sessions", page, signedIn, async (c) => {
    await renew(c, personOf(c), {});
    await audit(c, { action: "sessions.ended" });
    return saved(c, "sessions");
  });

  app.post("/settings/sessions/:handle", page, signedIn, async (c) => {
    const handle = c.req.param("handle");
    if (!(await endOneSession(c, personOf(c), handle))) {
      return fail("not_found", peopleWordsOf(c).noSession, { forReader: true });
    }
    await audit(c, { action: "session.ended", subject: handle });
    return saved(c, "session");
  });

  app.get("/settings/sessions/:handle", (c) => c.redirect(at(c, "/settings"), 303));

  app.post("/settings/buyer", page, signedIn, async (c) => {
    const form = await formOf(c);
    const read = readBuyer(form);
    if (!read.ok) {
      const error = settingsWords[viewOf(c).lang].buyerFaults[read.fault];
      const field = read.fault === "gstinState" ? "buyer_gstin" : `buyer_${read.fault}`;
      return showSettings(c, { code: "invalid_request", error, field, typed: form });
    }
    await changeBuyer(c.env, personOf(c).id, read.buyer);
    await audit(c, { action: "person.buyer" });
    return saved(c, "buyer");
  });

  // Changing the language on a form's reply leads back to the form's address, by GET.
  for (const form of ["name", "login", "sessions", "buyer"]) {
    app.get(`/settings/${form}`, (c) => c.redirect(at(c, "/settings"), 303));
  }
};
