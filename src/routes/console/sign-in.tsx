import type { Context } from "hono";
import type { FC } from "hono/jsx";
import { DEMO_LOGIN, demoKeys } from "../../accounts/open.ts";
import { audit } from "../../audit/audit.ts";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, page, personOf, safeNext, signedIn, viewOf } from "../../console/page.tsx";
import { DEMO_SECRET_PREFIX } from "../../crypto/secret-faults.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { checkAnswerOf } from "../../sign-in/bot-check.ts";
import type { BotCheck } from "../../sign-in/bot-check.ts";
import { askAgain, currentChallenge } from "../../sign-in/challenges.ts";
import { renew } from "../../sign-in/credentials.ts";
import { demoPerson } from "../../sign-in/people.ts";
import { endSession } from "../../sign-in/sessions.ts";
import { askPhone, enterAs, signInByCode } from "../../sign-in/sign-in.ts";
import { phoneOf } from "../../text/phones.ts";
import { BotCheckBox } from "../../ui/bot-check.tsx";
import { timeText } from "../../ui/format.ts";
import { Code } from "../../ui/parts.tsx";
import { CodeForm, GateCard, NextField, Or, PhoneField } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { peopleWords } from "../../ui/words/people.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import {
  checkOf,
  nextQuery,
  peopleWordsOf,
  phoneFaultOf,
  refuseForm,
  showGate,
  unanswered,
  unsent,
  wordsOf,
} from "./gate.tsx";

interface FormProps {
  next: string;
  error?: string;
  value?: string;
  /** Whether the visitor comes to set a new password, as the code that follows allows. */
  forgot?: boolean;
}

/** The credentials for the API of a local service. */
interface DemoKeys {
  apiKey: string;
  testKey: string;
  /** Null if the operator set a token, which no page shows. */
  operatorToken: string | null;
}

/** The demo account's keys on a local service; null elsewhere. */
function demoKeysOf(c: Context<AppEnv>): DemoKeys | null {
  const config = settings(c);
  if (config.ENVIRONMENT !== "local") return null;
  const { OPERATOR_TOKEN: token } = config;
  return { ...demoKeys(config), operatorToken: token.startsWith(DEMO_SECRET_PREFIX) ? token : null };
}

const Demo: FC<{ next: string; keys: DemoKeys; focus: boolean }> = ({ next, keys, focus }) => {
  const { apiKey, testKey, operatorToken } = keys;
  const t = useWords(signIn);
  const { at } = useView();
  return (
    <div class="gate-demo">
      <form method="post" action={at("/sign-in/demo")}>
        <NextField next={next} />
        <button class="btn wide" autofocus={focus}>
          {t.demo}
        </button>
      </form>
      <p class="dim small">
        {t.demoLogin} <b>{DEMO_LOGIN.email}</b> · <b>{DEMO_LOGIN.password}</b>
      </p>
      <details>
        <summary>{t.demoKeys}</summary>
        <div class="stack">
          <Code label={t.apiKey} text={apiKey} />
          <Code label={t.testKey} text={testKey} />
          {operatorToken !== null && <Code label={t.operatorToken} text={operatorToken} />}
        </div>
      </details>
    </div>
  );
};

const PhonePage: FC<FormProps & { keys: DemoKeys | null; check?: BotCheck | undefined }> = ({
  next,
  error,
  value,
  forgot,
  keys,
  check,
}) => {
  const t = useWords(signIn);
  const { forgotTitle, forgotLead } = useWords(peopleWords);
  const { at } = useView();
  return (
    <GateCard title={forgot ? forgotTitle : t.title} lead={forgot ? forgotLead : t.lead}>
      {keys && !forgot && (
        <>
          <Demo next={next} keys={keys} focus={error === undefined} />
          <Or />
        </>
      )}
      <form method="post" action={at("/sign-in")} class="stack">
        <NextField next={next} />
        <PhoneField
          value={value}
          error={check ? undefined : error}
          autofocus={!check && (!keys || error !== undefined)}
        />
        {check && <BotCheckBox {...check} />}
        <button class={keys ? "btn quiet wide" : "btn wide"}>{t.sendCode}</button>
      </form>
      <Or />
      <a class="btn quiet wide" href={at(`/sign-in/password${nextQuery(next)}`)}>
        {t.byEmail}
      </a>
    </GateCard>
  );
};

const CodePage: FC<{ phone: string; again?: boolean; error?: string; check?: BotCheck | undefined }> = ({
  phone,
  again,
  error,
  check,
}) => {
  const t = useWords(signIn);
  const { at } = useView();
  return (
    <GateCard title={t.codeTitle}>
      <CodeForm
        action="/sign-in/code"
        resend="/sign-in/resend"
        phone={phone}
        again={again ?? false}
        error={check ? undefined : error}
        check={check}
      />
      <p class="gate-links">
        <a class="ghost" href={at("/sign-in")}>
          {t.otherPhone}
        </a>
      </p>
    </GateCard>
  );
};

/** Sign-in by phone: a number, then the code that was sent to it. */
function addPhone(app: Api): void {
  app.get("/sign-in", page, (c) => {
    const next = safeNext(c.req.query("next"));
    if (c.get("person")) return c.redirect(at(c, next), 303);
    return showGate(c, wordsOf(c).title, <PhonePage next={next} keys={demoKeysOf(c)} />);
  });

  app.post("/sign-in", page, async (c) => {
    const form = await formOf(c);
    const next = safeNext(form["next"]);
    const typed = form["phone"] ?? "";
    const keys = demoKeysOf(c);
    const again = (refused: Refused, check?: BotCheck) =>
      refuseForm(
        c,
        refused,
        wordsOf(c).title,
        <PhonePage next={next} value={typed} error={refused.error} keys={keys} check={check} />,
      );
    const phone = phoneOf(typed);
    if (phone === null) return again({ code: "invalid_request", error: phoneFaultOf(c, typed) });
    const sent = await askPhone(c, phone, next, checkAnswerOf(form));
    return sent.ok ? c.redirect(at(c, "/sign-in/code"), 303) : again(unsent(c, sent), checkOf(c, sent));
  });
}

async function showCode(c: Context<AppEnv>, refused?: Refused, check?: BotCheck): Promise<Response> {
  const challenge = await currentChallenge(c, "sign-in");
  if (!challenge) return c.redirect(at(c, "/sign-in"), 303);
  const title = wordsOf(c).codeTitle;
  return refused
    ? refuseForm(c, refused, title, <CodePage phone={challenge.phone} error={refused.error} check={check} />)
    : showGate(c, title, <CodePage phone={challenge.phone} again={c.req.query("again") !== undefined} />);
}

function addCode(app: Api): void {
  app.get("/sign-in/code", page, (c) => showCode(c));

  app.post("/sign-in/code", page, async (c) => {
    const done = await signInByCode(c, (await formOf(c))["code"] ?? "");
    if (done.ok) return c.redirect(at(c, done.emailLeftOut ? "/settings?note=email" : safeNext(done.next)), 303);
    if (done.reason !== "waiting") return showCode(c, unanswered(c, done));
    const error = peopleWordsOf(c).notYet(timeText(done.at, "date", viewOf(c).lang));
    const refused = { code: "permission_denied", error } as const;
    return refuseForm(c, refused, wordsOf(c).title, <PhonePage next="/" error={error} keys={demoKeysOf(c)} />);
  });

  app.get("/sign-in/resend", (c) => c.redirect(at(c, "/sign-in/code"), 303));

  app.post("/sign-in/resend", page, async (c) => {
    const sent = await askAgain(c, "sign-in", checkAnswerOf(await formOf(c)));
    if (sent.ok) return c.redirect(at(c, "/sign-in/code?again=1"), 303);
    return showCode(c, unsent(c, sent), checkOf(c, sent));
  });
}

/** Where a person sets a new password; `forgot` shows the page for a person who comes for that. */
const NEW_PASSWORD = "/settings?note=password#sign-in";

/** `/sign-in` and `/sign-out`. */
export const signInPages = (app: Api) => {
  addPhone(app);
  addCode(app);

  app.get("/sign-in/forgot", page, (c) => {
    if (c.get("person")) return c.redirect(at(c, NEW_PASSWORD), 303);
    return showGate(c, peopleWordsOf(c).forgotTitle, <PhonePage next={NEW_PASSWORD} forgot keys={null} />);
  });

  app.post("/sign-in/demo", page, async (c) => {
    const person = await demoPerson(c.env, settings(c));
    if (!person) return fail("not_found", wordsOf(c).noDemo, { forReader: true });
    await enterAs(c, person, "demo");
    return c.redirect(at(c, safeNext((await formOf(c))["next"])), 303);
  });

  app.post("/sign-out", page, async (c) => {
    await endSession(c);
    if (c.get("person")) await audit(c, { action: "session.ended" });
    return c.redirect(at(c, "/sign-in"), 303);
  });

  app.post("/sign-out/everywhere", page, signedIn, async (c) => {
    await renew(c, personOf(c), {});
    await endSession(c);
    await audit(c, { action: "sessions.ended" });
    return c.redirect(at(c, "/sign-in"), 303);
  });
};
