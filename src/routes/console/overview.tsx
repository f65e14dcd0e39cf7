import { usageOf, usageStartMs } from "../../activity/usage.ts";
import { page, personOf, refOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { consoleKeyId, maskedKey, showKey, showKeyId } from "../../crypto/api-key.ts";
import { randomCode } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { KeyView, Outline } from "../../model/account.ts";
import { liveRows } from "../../model/live.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { reachableUrl } from "../../sending/curl.ts";
import { UsageChart } from "../../ui/chart.tsx";
import { LiveList } from "../../ui/live.tsx";
import { FirstCall, OtpSender, Tiles, samplesOf } from "../../ui/overview.tsx";
import { PageHead } from "../../ui/parts.tsx";
import { overview } from "../../ui/words/overview.ts";
import { shell } from "../../ui/words/shell.ts";

/** The number in samples if the reader's own is unknown; samples go to the reader, so that no stranger gets a trial. */
const SOME_PHONE = "9876543210";

/** The newest key that is usable now and is not the console's own. */
function newestKey(keys: readonly KeyView[], nowMs: number): KeyView | undefined {
  return keys.findLast(
    (key) =>
      key.keyId !== consoleKeyId(key.mode) &&
      key.revokedAt === null &&
      (key.expiresAt ?? Number.POSITIVE_INFINITY) > nowMs,
  );
}

/** `/`: the account's balance, the first API call, a form that sends an OTP, and the latest messages. */
export const overviewPage = (app: Api) =>
  app.get("/", page, signedIn, async (c) => {
    const nowMs = Date.now();
    const { lang } = viewOf(c);
    const ref = refOf(c);
    const outline: Outline | null = await stubOf(c).outline(usageStartMs(nowMs));
    if (!outline) fail("unavailable", overview[lang].notOpen, { forReader: true, headers: { "Retry-After": "5" } });
    const { account, keys, news, seqSince } = outline;
    const days = await usageOf(c.env, ref, seqSince, nowMs);
    const key = newestKey(keys, nowMs);
    const own = /^\+91(\d{10})$/u.exec(personOf(c).phone ?? "")?.[1];
    const masked = key ? maskedKey(showKey(settings(c).KEY_SECRET, { ...ref, keyId: key.keyId })) : "";
    return show(
      c,
      <>
        <PageHead title={shell[lang].overview} />
        <Tiles account={account} />
        <div class="cols">
          <FirstCall
            keyId={key ? showKeyId(key.keyId) : null}
            masked={masked}
            samples={samplesOf(reachableUrl(settings(c), ENDPOINTS.otp), own ?? SOME_PHONE)}
          />
          <OtpSender phone={own ?? ""} code={randomCode()} otpRate={account.otpRate} />
        </div>
        <LiveList rows={liveRows(news.jobs)} />
        <UsageChart days={days} />
      </>,
      { title: shell[lang].overview, active: "overview", kind: "overview" },
    );
  });
