import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, personOf, sessionOf, show, signedIn, viewOf } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { readBuyer } from "../../payments/buyer.ts";
import { admitChange } from "../../sign-in/attempts.ts";
import { passwordFault } from "../../sign-in/passwords.ts";
import { changeBuyer, changeLogin, changeName, emailOf, nameOf } from "../../sign-in/people.ts";
import { endSessionsOf, isFresh, listSessions } from "../../sign-in/sessions.ts";
import type { Unsaved } from "../../ui/parts.tsx";
import { SettingsPage } from "../../ui/settings.tsx";
import { settingsWords } from "../../ui/words/settings.ts";
import type { Saved } from "../../ui/words/settings.ts";
import { wordsOf } from "./gate.tsx";

/** Answers with the page, and the notice of what was saved or why a form was refused. */
export async function showSettings(
  c: Context<AppEnv>,
  refused?: Refused & Unsaved,
  note: { saved?: Saved | undefined; emailNote?: boolean } = {},
): Promise<Response> {
  const status = refusedStatus(c, refused);
  const content = (
    <SettingsPage
      person={personOf(c)}
      sessions={await listSessions(c, personOf(c).id)}
      fresh={isFresh(sessionOf(c), Date.now())}
      unsaved={refused}
      {...note}
    />
  );
  const { title } = settingsWords[viewOf(c).lang];
  return show(c, content, { title, active: "settings", status });
}

const isSaved = (text: string | undefined): text is Saved =>
  text !== undefined && Object.hasOwn(settingsWords.en.saved, text);

export const saved = (c: Context<AppEnv>, what: Saved) => c.redirect(at(c, `/settings?saved=${what}`), 303);

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
    const weak = password === null ? null : passwordFault(password, known);
    if (weak !== null) return refuse("password", wordsOf(c).passwordFaults[weak]);
    if (email !== person.email) {
      const verdict = await admitChange(c, person.id);
      const { retryAfterSec = 0 } = verdict.ok ? {} : verdict;
      if (!verdict.ok) return refuse("email", t.tooManyChanges, { code: "rate_limited", retryAfterSec });
    }
    if (!(await changeLogin(c.env, person, { email, password }))) return refuse("email", t.emailTaken);
    if (email !== person.email) await audit(c, { action: "person.email" });
    if (password === null) return saved(c, "login");
    await audit(c, { action: "person.password" });
    await endSessionsOf(c, person.id, sessionOf(c).hash);
    return saved(c, "password");
  });
}

/** `/settings`, except the change of phone. */
export const settingsPages = (app: Api) => {
  app.get("/settings", page, signedIn, (c) => {
    const done = c.req.query("saved");
    const emailNote = c.req.query("note") === "email";
    return showSettings(c, undefined, { saved: isSaved(done) ? done : undefined, emailNote });
  });

  app.post("/settings/name", page, signedIn, async (c) => {
    await changeName(c.env, personOf(c).id, nameOf((await formOf(c))["name"] ?? ""));
    await audit(c, { action: "person.name" });
    return saved(c, "name");
  });

  addLogin(app);

  app.post("/settings/sessions", page, signedIn, async (c) => {
    await endSessionsOf(c, personOf(c).id, sessionOf(c).hash);
    await audit(c, { action: "sessions.ended" });
    return saved(c, "sessions");
  });

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
