import type { Context, MiddlewareHandler } from "hono";
import type { FC } from "hono/jsx";
import { formOf } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, personOf, signedIn } from "../../console/page.tsx";
import type { Api, AppEnv } from "../../http/app.ts";
import type { Person } from "../../model/person.ts";
import { personAtSecondStep } from "../../sign-in/by-password.ts";
import { askNewPhone, askedChange, beginWaitByCode } from "../../sign-in/phone-change.ts";
import { phoneOf } from "../../text/phones.ts";
import { CodeForm, GateCard, PhoneField } from "../../ui/sign-in.tsx";
import { useView, useWords } from "../../ui/view.ts";
import { peopleWords } from "../../ui/words/people.ts";
import { signIn } from "../../ui/words/sign-in.ts";
import { peopleWordsOf, refuseForm, showGate, unanswered, unsent, phoneFaultOf } from "./gate.tsx";

// A person who has lost their phone names a new one, which replaces it after a wait. They are signed in, or gave their
// password in a browser that they do not know, where the code would go to the lost phone.

/** A place from which the change begins. */
interface Way {
  /** The path of its pages. */
  base: "/settings/phone/lost" | "/sign-in/password/lost";
  /** What its requests must have passed. */
  guards: readonly [MiddlewareHandler<AppEnv>, ...MiddlewareHandler<AppEnv>[]];
  /** The person with a phone who may begin it here, or null. */
  person: (c: Context<AppEnv>) => Promise<Person | null> | Person | null;
  /** Where it leads without such a person, and after a cancellation. */
  back: string;
  done: string;
}

/** A recent sign-in; a person without a password cannot have one, for their code goes to the lost phone. */
const freshByPassword: MiddlewareHandler<AppEnv> = (c, next) =>
  personOf(c).password === null ? next() : freshlySignedIn(c, next);

const WAYS: readonly Way[] = [
  {
    base: "/settings/phone/lost",
    guards: [page, signedIn, freshByPassword],
    person: (c) => (personOf(c).phone === null ? null : personOf(c)),
    back: "/settings",
    done: "/settings?saved=wait",
  },
  {
    base: "/sign-in/password/lost",
    guards: [page],
    person: personAtSecondStep,
    back: "/sign-in/password",
    done: "/sign-in/password?note=wait",
  },
];

interface LostProps {
  way: Way;
  /** Where the code was sent; null before that. */
  sentTo?: string | null;
  value?: string;
  again?: boolean;
  error?: string | undefined;
}

const LostPage: FC<LostProps> = ({ way: { base, back }, sentTo = null, value, again = false, error }) => {
  const { at } = useView();
  const t = useWords(peopleWords);
  return (
    <GateCard title={t.lostTitle} {...(sentTo === null && { lead: t.lostLead })}>
      {sentTo === null ? (
        <form method="post" action={at(base)} class="stack">
          <PhoneField value={value} error={error} autofocus />
          <button class="btn wide">{t.lostSubmit}</button>
        </form>
      ) : (
        <CodeForm action={`${base}/code`} resend={`${base}/resend`} phone={sentTo} again={again} error={error} />
      )}
      <p class="gate-links">
        <a class="ghost" href={at(back)}>
          {useWords(signIn).cancel}
        </a>
      </p>
    </GateCard>
  );
};

/** The change that this browser asked a code for; in settings, only that of the signed-in person. */
async function asked(c: Context<AppEnv>, { base }: Way): Promise<{ person: Person; phone: string } | null> {
  const change = await askedChange(c, "next-phone");
  const other = base === "/settings/phone/lost" && change?.person.id !== personOf(c).id;
  return other ? null : change;
}

/** Answers with the form for the number, or for the code once one was sent. */
async function showLost(
  c: Context<AppEnv>,
  way: Way,
  { coded = false, refused, value = "" }: { coded?: boolean; refused?: Refused; value?: string } = {},
): Promise<Response> {
  const sentTo = coded ? ((await asked(c, way))?.phone ?? null) : null;
  if (sentTo === null && !(await way.person(c))) return c.redirect(at(c, way.back), 303);
  const again = c.req.query("again") !== undefined;
  const content = <LostPage way={way} sentTo={sentTo} value={value} again={again} error={refused?.error} />;
  const title = peopleWordsOf(c).lostTitle;
  return refused ? refuseForm(c, refused, title, content) : showGate(c, title, content);
}

function addWay(app: Api, way: Way): void {
  const { base, guards } = way;
  app.get(base, ...guards, (c) => showLost(c, way));

  app.post(base, ...guards, async (c) => {
    const person = await way.person(c);
    if (!person) return c.redirect(at(c, way.back), 303);
    const value = (await formOf(c))["phone"] ?? "";
    const phone = phoneOf(value);
    if (phone === null) {
      return showLost(c, way, { value, refused: { code: "invalid_request", error: phoneFaultOf(c, value) } });
    }
    const sent = await askNewPhone(c, "next-phone", person, phone);
    return sent.ok ? c.redirect(at(c, `${base}/code`), 303) : showLost(c, way, { value, refused: unsent(c, sent) });
  });

  app.get(`${base}/code`, ...guards, (c) => showLost(c, way, { coded: true }));

  app.post(`${base}/code`, ...guards, async (c) => {
    const change = await asked(c, way);
    if (!change) return c.redirect(at(c, way.back), 303);
    const done = await beginWaitByCode(c, change.person, (await formOf(c))["code"] ?? "");
    return done.ok ? c.redirect(at(c, way.done), 303) : showLost(c, way, { coded: true, refused: unanswered(c, done) });
  });

  app.get(`${base}/resend`, (c) => c.redirect(at(c, `${base}/code`), 303));

  app.post(`${base}/resend`, ...guards, async (c) => {
    const change = await asked(c, way);
    if (!change) return c.redirect(at(c, way.back), 303);
    const sent = await askNewPhone(c, "next-phone", change.person, change.phone);
    if (sent.ok) return c.redirect(at(c, `${base}/code?again=1`), 303);
    return showLost(c, way, { coded: true, refused: unsent(c, sent) });
  });
}

/** `/settings/phone/lost` and `/sign-in/password/lost`: a new phone for a person who has lost the old one. */
export const phoneLost = (app: Api) => {
  for (const way of WAYS) addWay(app, way);
};
