import type { Context, MiddlewareHandler } from "hono";
import type { FC } from "hono/jsx";
import { audit } from "../../audit/audit.ts";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, personOf, sessionOf, signedIn, viewOf } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import { askNewPhone, askedChange, changePhoneByCode, stopNextPhone } from "../../sign-in/phone-change.ts";
import { isPhoneFresh } from "../../sign-in/sessions.ts";
import { phoneOf } from "../../text/phones.ts";
import { CodeForm, GateCard } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { settingsWords } from "../../ui/words/settings.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import { phoneFaultOf, refuseForm, showGate, unanswered, unsent } from "./gate.tsx";
import { saved, showSettings } from "./settings.tsx";

const PhoneCodePage: FC<{ phone: string; again?: boolean; error?: string }> = ({ phone, again = false, error }) => {
  const { at } = useView();
  return (
    <GateCard title={useWords(settingsWords).phoneTitle}>
      <CodeForm
        action="/settings/phone/code"
        resend="/settings/phone/resend"
        phone={phone}
        again={again}
        error={error}
      />
      <p class="gate-links">
        <a class="ghost" href={at("/settings")}>
          {useWords(signIn).cancel}
        </a>
      </p>
    </GateCard>
  );
};

/** The new phone that this person's code was sent to, or null. */
async function askedPhone(c: Context<AppEnv>): Promise<string | null> {
  const change = await askedChange(c, "phone");
  return change?.person.id === personOf(c).id ? change.phone : null;
}

async function showCode(c: Context<AppEnv>, refused?: Refused): Promise<Response> {
  const phone = await askedPhone(c);
  if (phone === null) return refused ? refuseOn(c, refused, "") : c.redirect(at(c, "/settings"), 303);
  const title = settingsWords[viewOf(c).lang].phoneTitle;
  return refused
    ? refuseForm(c, refused, title, <PhoneCodePage phone={phone} error={refused.error} />)
    : showGate(c, title, <PhoneCodePage phone={phone} again={c.req.query("again") !== undefined} />);
}

/** The last four digits of a phone, for the audit trail. */
const ending = (phone: string | null): string => (phone === null ? "–" : `…${phone.slice(-4)}`);

const refuseOn = (c: Context<AppEnv>, refused: Refused, phone: string) =>
  showSettings(c, { ...refused, field: "phone", typed: { phone } });

/** Middleware of a change of phone: the old phone must have been asked recently, by a code to it. */
const oldPhoneAsked: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (personOf(c).phone === null || isPhoneFresh(sessionOf(c), Date.now())) return next();
  return c.redirect(at(c, `/confirm?next=${encodeURIComponent("/settings#sign-in")}`), 303);
};

/** `/settings/phone`: changes the phone to sign in with, after a code to the old phone and a code to the new one. */
export const settingsPhone = (app: Api) => {
  app.get("/settings/phone", page, signedIn, (c) => showCode(c));

  app.post("/settings/phone", page, signedIn, freshlySignedIn, oldPhoneAsked, async (c) => {
    const typed = (await formOf(c))["phone"] ?? "";
    const phone = phoneOf(typed);
    if (phone === null) return refuseOn(c, { code: "invalid_request", error: phoneFaultOf(c, typed) }, typed);
    const sent = await askNewPhone(c, "phone", personOf(c), phone);
    return sent.ok ? c.redirect(at(c, "/settings/phone"), 303) : refuseOn(c, unsent(c, sent), typed);
  });

  app.post("/settings/phone/code", page, signedIn, async (c) => {
    const to = await askedPhone(c);
    const done = await changePhoneByCode(c, personOf(c), (await formOf(c))["code"] ?? "");
    if (done.ok) {
      await audit(c, { action: "person.phone", details: { from: ending(personOf(c).phone), to: ending(to) } });
      return saved(c, "phone");
    }
    if (done.reason !== "taken") return showCode(c, unanswered(c, done));
    const error = settingsWords[viewOf(c).lang].phoneTaken;
    return refuseOn(c, { code: "invalid_request", error }, "");
  });

  app.post("/settings/phone/resend", page, signedIn, async (c) => {
    const phone = await askedPhone(c);
    if (phone === null) return c.redirect(at(c, "/settings"), 303);
    const sent = await askNewPhone(c, "phone", personOf(c), phone);
    return sent.ok ? c.redirect(at(c, "/settings/phone?again=1"), 303) : showCode(c, unsent(c, sent));
  });

  app.post("/settings/phone/stop", page, signedIn, async (c) => {
    await stopNextPhone(c.env, personOf(c));
    await audit(c, { action: "person.phone_stopped" });
    return saved(c, "stopped");
  });

  for (const step of ["code", "resend", "stop"]) {
    app.get(`/settings/phone/${step}`, (c) => c.redirect(at(c, "/settings/phone"), 303));
  }
};
