import type { Context } from "hono";
import { maskedOf } from "../../accounts/keys.ts";
import { usageOf, usageStartMs } from "../../activity/usage.ts";
import { signupCredit } from "../../config/config.ts";
import { page, personOf, refOf, show, showPart, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { consoleKeyId, showKeyId } from "../../crypto/api-key.ts";
import { randomCode } from "../../crypto/ids.ts";
import { FIRST_ID } from "../../crypto/secrets.ts";
import type { Secrets } from "../../crypto/secrets.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { KeyView, Outline } from "../../model/account.ts";
import { liveRows } from "../../model/live.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { UNITS_PER_COIN } from "../../money/money.ts";
import { hasBought } from "../../payments/orders.ts";
import { reachableUrl } from "../../sending/curl.ts";
import { readCookie } from "../../sign-in/sessions.ts";
import { UsageChart } from "../../ui/chart.tsx";
import { FirstSteps, TestNumbers } from "../../ui/first-steps.tsx";
import type { StepsDone } from "../../ui/first-steps.tsx";
import { LiveList } from "../../ui/live.tsx";
import { FirstCall, OtpSender, Tiles, samplesOf } from "../../ui/overview.tsx";
import { PageHead } from "../../ui/parts.tsx";
import type { Endpoint } from "../../model/webhook.ts";
import { DisabledNotice } from "../../ui/webhooks/list.tsx";
import { ClosingNotice } from "../../ui/settings/leaving.tsx";
import { overview } from "../../ui/words/overview.ts";
import { shell } from "../../ui/words/shell.ts";

/** The number in samples if the reader's own is unknown; samples go to the reader, so that no stranger gets a trial. */
const SOME_PHONE = "9876543210";

/** The newest key that is usable now and is not the console's own. */
function newestKey(secrets: Secrets, keys: readonly KeyView[], nowMs: number): KeyView | undefined {
  return keys.findLast(
    (key) =>
      secrets.withId(key.secretId ?? FIRST_ID) !== undefined &&
      key.keyId !== consoleKeyId(key.mode) &&
      key.revokedAt === null &&
      (key.expiresAt ?? Number.POSITIVE_INFINITY) > nowMs,
  );
}

/** What the account did of the first steps; null in test mode, and where the reader hid them. */
async function stepsDone(c: Context<AppEnv>, { account, keys, news }: Outline): Promise<StepsDone | null> {
  if (refOf(c).mode === "test" || readCookie(c, "steps") === "off") return null;
  return {
    send: news.jobs.length > 0,
    request: keys.some((key) => key.keyId !== consoleKeyId(key.mode) && key.lastUsedAt !== null),
    buy: account.plan !== "starter" || (await hasBought(c.env, refOf(c).accountId)),
  };
}

/** `/`: the account's balance, the first API call, a form that sends an OTP, and the latest messages. */
export const overviewPage = (app: Api) =>
  app.get("/", page, signedIn, async (c) => {
    const nowMs = Date.now();
    const { lang } = viewOf(c);
    const ref = refOf(c);
    const [outline, endpoints]: [Outline | null, Endpoint[] | null] = await Promise.all([
      stubOf(c).outline(usageStartMs(nowMs)),
      stubOf(c).endpoints(),
    ]);
    if (!outline) fail("unavailable", overview[lang].notOpen, { forReader: true, headers: { "Retry-After": "5" } });
    const { account, keys, news } = outline;
    const [days, done] = await Promise.all([usageOf(c.env, ref, outline, nowMs), stepsDone(c, outline)]);
    const key = newestKey(settings(c).KEY_SECRET, keys, nowMs);
    const own = /^\+91(\d{10})$/u.exec(personOf(c).phone ?? "")?.[1];
    const masked = key ? maskedOf(settings(c).KEY_SECRET, ref, key) : "";
    return show(
      c,
      <>
        <PageHead title={shell[lang].overview} />
        {account.status === "closing" && (
          <ClosingNotice closing={{ closesAt: account.closesAt ?? nowMs, hindrance: null }} />
        )}
        <DisabledNotice endpoints={endpoints ?? []} />
        <Tiles account={account} />
        {done && <FirstSteps done={done} welcomeUnits={signupCredit(settings(c)) * UNITS_PER_COIN} />}
        <div class="cols">
          <FirstCall
            keyId={key ? showKeyId(key.keyId) : null}
            masked={masked}
            samples={samplesOf(reachableUrl(settings(c), ENDPOINTS.otp), own ?? SOME_PHONE)}
          />
          <OtpSender phone={own ?? ""} code={randomCode()} otpRate={account.otpRate} />
        </div>
        <TestNumbers kind="otp" />
        <LiveList rows={liveRows(news.jobs)} />
        <div data-usage>
          <UsageChart days={days} />
        </div>
      </>,
      { title: shell[lang].overview, active: "overview", kind: "overview" },
    );
  });

/** `/usage`: the chart alone, which the overview loads again after messages were sent. */
export const usagePage = (app: Api) =>
  app.get("/usage", page, signedIn, async (c) => {
    const nowMs = Date.now();
    const outline: Outline | null = await stubOf(c).outline(usageStartMs(nowMs));
    const days = outline && (await usageOf(c.env, refOf(c), outline, nowMs));
    const chart = <UsageChart days={days} />;
    if (c.req.header("x-part") !== undefined) return showPart(c, chart);
    return show(c, chart, { title: overview[viewOf(c).lang].chartTitle, active: "overview" });
  });
