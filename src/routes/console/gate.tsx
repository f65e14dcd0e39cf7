import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { show, viewOf } from "../../console/page.tsx";
import type { AppEnv } from "../../http/app.ts";
import { settings } from "../../http/app.ts";
import type { BotCheck } from "../../sign-in/bot-check.ts";
import type { Proved } from "../../sign-in/by-password.ts";
import type { Answer, Asked } from "../../sign-in/challenges.ts";
import { readPhone } from "../../text/phones.ts";
import { botCheck, unreachable } from "../../ui/words/bot-check.ts";
import { peopleWords } from "../../ui/words/people.ts";
import { phoneFaultText } from "../../ui/words/phones.ts";
import { signIn } from "../../ui/words/sign-in.ts";

// What sign-in, sign-up, confirmation and settings share: the reasons of refusals, and the page with one card.

export const wordsOf = (c: Context<AppEnv>) => signIn[viewOf(c).lang];
export const peopleWordsOf = (c: Context<AppEnv>) => peopleWords[viewOf(c).lang];

/** The query that names the path after the sign-in. */
export const nextQuery = (next: string) => (next === "/" ? "" : `?next=${encodeURIComponent(next)}`);

type Unsent = Exclude<Asked | { ok: false; reason: "over" }, { ok: true }>;

/** The bot check that the form shows before a code is sent, if that is why none was sent. */
export function checkOf(c: Context<AppEnv>, sent: Unsent): BotCheck | undefined {
  if (sent.reason !== "bot_check") return undefined;
  if (sent.check.turnstile) c.set("thirdParty", new URL(sent.check.turnstile.script).origin);
  return sent.check;
}

/** Why no code was sent. */
export function unsent(c: Context<AppEnv>, sent: Unsent): Refused {
  const t = wordsOf(c);
  switch (sent.reason) {
    case "rate_limited":
      return { code: "rate_limited", error: t.tooManyCodes(sent.retryAfterSec), retryAfterSec: sent.retryAfterSec };
    case "not_offered":
      return { code: "invalid_request", error: t.notOffered };
    case "unreachable": {
      const { lang } = viewOf(c);
      return { code: "invalid_request", error: unreachable(lang, settings(c).SIGN_IN_COUNTRIES) };
    }
    case "bot_check": {
      const { waitSec } = sent.check;
      return { code: "rate_limited", error: botCheck[viewOf(c).lang].wait(waitSec), retryAfterSec: waitSec };
    }
    case "over":
      return { code: "invalid_request", error: t.codeOver };
  }
}

/** Why a code was not accepted. */
export function unanswered(c: Context<AppEnv>, answer: Exclude<Answer, { ok: true }>): Refused {
  const t = wordsOf(c);
  switch (answer.reason) {
    case "malformed":
      return { code: "invalid_request", error: t.codeMalformed };
    case "wrong":
      return { code: "unauthorized", error: t.codeWrong(answer.triesLeft) };
    case "over":
      return { code: "unauthorized", error: t.codeOver };
  }
}

/** Why a password was not accepted; `wrong` is the sentence for a wrong password. */
export function unproved(c: Context<AppEnv>, done: Exclude<Proved, { ok: true }>, wrong: string): Refused {
  if (done.reason === "wrong") return { code: "unauthorized", error: wrong };
  const { retryAfterSec } = done;
  return { code: "rate_limited", error: wordsOf(c).tooManyPasswords(retryAfterSec), retryAfterSec };
}

/** Answers a refused form with its page again. */
export function refuseForm(c: Context<AppEnv>, refused: Refused, title: string, page: Child): Response {
  return show(c, page, { title, bare: true, kind: "gate", status: refusedStatus(c, refused) });
}

/** Answers with a page of one card. */
export function showGate(c: Context<AppEnv>, title: string, page: Child): Response {
  return show(c, page, { title, bare: true, kind: "gate" });
}

/** Why a typed phone number is refused, with what was read of it. */
export function phoneFaultOf(c: Context<AppEnv>, typed: string): string {
  const read = readPhone(typed, "person");
  if (read.ok || read.fault === "no_number") return wordsOf(c).phoneFault;
  return phoneFaultText(read, "person", viewOf(c).lang);
}
