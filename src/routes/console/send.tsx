import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { PRODUCT } from "../../config/settings.ts";
import { doneIn, otherMode, readForm, refusalIn, refusedStatus } from "../../console/forms.ts";
import type { PostedForm, Refused } from "../../console/forms.ts";
import { page, refOf, show, showPart, signedIn, stubOf, viewOf, wantsJson } from "../../console/page.tsx";
import { randomCode } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { bodyUpTo } from "../../http/body.ts";
import { fail } from "../../http/errors.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import type { SendKind } from "../../model/operations.ts";
import { UNITS_PER_COIN, unitsFromCoins } from "../../money/money.ts";
import { priceList } from "../../money/price-list.ts";
import { VOICE_BLOCK_MS, priceTts, priceVoiceBlock } from "../../money/pricing.ts";
import type { ApiReply } from "../../sending/own-api.ts";
import { preflightOf } from "../../sending/preflight.ts";
import { currentRateCard } from "../../sending/rate-card.ts";
import { bodyOf, isKind, keptOf, prefilled, recipientsOf } from "../../sending/send-kinds.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import { sampleOf } from "../../sending/send-samples.ts";
import { sendAsShown, shownPriceIn } from "../../sending/shown-price.ts";
import { listText } from "../../text/list-file.ts";
import { LINES_MAX } from "../../text/recipients.ts";
import { count } from "../../ui/format.ts";
import { lengthText } from "../../ui/format-audio.ts";
import { Card, PageHead } from "../../ui/parts.tsx";
import { Figures } from "../../ui/send/figures.tsx";
import { formFigures } from "../../ui/send/form-figures.ts";
import type { FormFigures } from "../../ui/send/form-figures.ts";
import { FormOf } from "../../ui/send/forms.tsx";
import { FoundNumbers } from "../../ui/send/found-numbers.tsx";
import { Beside, Kinds, SendOutcome } from "../../ui/send/frame.tsx";
import type { Draft, Playable } from "../../ui/send/frame.tsx";
import { NumberRead, SampleCode } from "../../ui/send/number.tsx";
import { limitWords } from "../../ui/words/limits.ts";
import { send } from "../../ui/words/send.ts";
import { ORDERINGS } from "../v1/preflight.ts";
import { refusedNumber, repriced, unsent } from "./unsent.ts";
import type { Unsent } from "./unsent.ts";

/** Size of a form with a list of recipients: 10,000 of them with a name beside each, or the largest file. */
const LIST_BYTES_MAX = 1024 * 1024;

/** Recordings that the form offers; an older one is chosen from the list of voice files. */
const PLAYABLE_MAX = 100;

type Ctx = Context<AppEnv>;

async function playables(c: Ctx, unitsPerBlock: number, chosen: string | undefined): Promise<Playable[]> {
  const account = stubOf(c);
  const newest = (await account.recordings(null, PLAYABLE_MAX)) ?? [];
  const known = chosen === undefined || chosen === "" || newest.some(({ fileId }) => fileId === chosen);
  const older = known ? null : await account.recording(chosen);
  return [...(older ? [older] : []), ...newest].map(({ fileId, name, durationMs }) => ({
    fileId,
    name,
    lengthText: lengthText(durationMs),
    units: Math.ceil(durationMs / VOICE_BLOCK_MS) * unitsPerBlock,
  }));
}

/** The price of a kind of send, and what its form offers. */
async function offerOf(c: Ctx, kind: SendKind, typed: Typed): Promise<Pick<Draft, "units" | "list" | "playable">> {
  if (kind === "otp") return { units: (await stubOf(c).view())?.otpRate ?? 0 };
  const card = await currentRateCard(c.env, c.executionCtx);
  switch (kind) {
    case "sms":
    case "bulk":
      return { units: card.smsIndia * UNITS_PER_COIN };
    case "international":
      return { units: card.smsAbroad * UNITS_PER_COIN, list: priceList(card) };
    case "tts":
      return { units: priceTts(card) };
    case "voice": {
      const units = priceVoiceBlock(card);
      return { units, playable: await playables(c, units, typed["fileId"]) };
    }
  }
}

async function showDraft(
  c: Ctx,
  asked: Pick<Draft, "kind" | "typed" | "once" | "refused" | "confirm" | "sent" | "figures"> & { posted?: Typed },
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const { kind } = asked;
  const t = send[viewOf(c).lang];
  // The form starts with a random code, which the sender may replace.
  const typed = kind === "otp" && !asked.refused ? { otp: randomCode(), ...asked.typed } : asked.typed;
  const offer = await offerOf(c, kind, typed);
  const recording = offer.playable?.find(({ fileId }) => fileId === typed["fileId"]) ?? offer.playable?.[0];
  const sent = { ...(asked.posted ?? typed), fileId: recording?.fileId ?? "" };
  const sample = sampleOf(settings(c), kind, sent);
  const draft = { ...asked, typed, ...offer, sample };
  return show(
    c,
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Kinds kind={kind} />
      <SendOutcome sent={draft.sent} refused={draft.refused} />
      <div class="cols">
        <Card title={t.kind[kind]} class="stack">
          <p class="dim">{t.about[kind]}</p>
          <FormOf draft={draft} />
        </Card>
        <Beside draft={draft} brand={PRODUCT} />
      </div>
    </>,
    { title: `${t.title}: ${t.kind[kind]}`, active: "send", kind: "sending", status },
  );
}

function tooLong(c: Ctx): string {
  const { lang } = viewOf(c);
  return limitWords[lang].listTooLong(count(LINES_MAX, lang));
}

/** Fills a bulk form from its file; with `refused` if the person must correct something first. */
async function mergeFile(
  c: Ctx,
  { typed, files }: PostedForm,
  takesFaults = typed["skip"] !== undefined,
): Promise<{ typed: Typed; refused?: Refused }> {
  const t = send[viewOf(c).lang];
  const { file } = files;
  const text = file ? listText(new Uint8Array(await file.arrayBuffer())) : (typed["recipients"] ?? "");
  if (text === null) return { typed, refused: unsent(t.workbook, "file") };
  if (file && (typed["recipients"] ?? "").trim() !== "") return { typed, refused: unsent(t.both, "recipients") };
  const filled = { ...typed, recipients: text };
  const { faults } = recipientsOf(filled);
  if (faults[0]?.reason === "unread") return { typed: filled, refused: unsent(tooLong(c), "recipients") };
  if (faults.length === 0 || takesFaults) return { typed: filled };
  return { typed: filled, refused: unsent(t.badLinesRefused, "recipients") };
}

/** Sends a form through the API, unless the person must correct it first. */
async function sendForm(
  c: Ctx,
  kind: SendKind,
  form: PostedForm,
): Promise<{ typed: Typed; refused: Unsent } | { typed: Typed; refused?: undefined; reply: ApiReply }> {
  const other = otherMode(c, form.typed);
  if (other) return { typed: form.typed, refused: other };
  const { typed, refused } = kind === "bulk" ? await mergeFile(c, form) : { typed: form.typed };
  const stopped = refused ?? refusedNumber(kind, typed, viewOf(c).lang);
  if (stopped) return { typed, refused: stopped };
  const request = { path: ENDPOINTS[kind].path, way: ORDERINGS[kind], body: bodyOf(kind, typed), once: form.once };
  const sent = await sendAsShown(c, refOf(c), request, shownPriceIn(typed));
  return sent.ok ? { typed, reply: sent.reply } : { typed, refused: repriced(kind, typed, sent.repriced, viewOf(c)) };
}

/** Units that a request took: the reply's coins, or an OTP's cost. */
function spentOf({ body }: ApiReply): number {
  const { cost } = (body["details"] ?? {}) as { cost?: unknown };
  const spent = body["coins_used"] ?? cost;
  return typeof spent === "number" ? (unitsFromCoins(spent) ?? 0) : 0;
}

const PASSED_ON = ["Idempotent-Replayed", "RateLimit-Policy", "RateLimit", "Retry-After"];

/** Answers the browser's script with the reply of the API, in the reader's language. */
function passOn(c: Ctx, reply: ApiReply, balanceUnits: number | null): Response {
  const { status, headers, body } = reply;
  for (const name of PASSED_ON) {
    const value = headers.get(name);
    if (value !== null) c.header(name, value);
  }
  if (balanceUnits !== null) c.header("Balance-Units", String(balanceUnits));
  const { lang } = viewOf(c);
  if (!body.success) {
    return c.json({ ...body, hint: undefined, ...refusalIn(reply, lang) }, status as ContentfulStatusCode);
  }
  return c.json({ ...body, message: doneIn(reply, lang) });
}

function showOutcome(c: Ctx, kind: SendKind, form: PostedForm, typed: Typed, reply: ApiReply, balance: number | null) {
  const { body, status } = reply;
  const { lang } = viewOf(c);
  if (body.success) {
    const replayed = reply.headers.has("idempotent-replayed");
    const sent = {
      message: doneIn(reply, lang),
      spentUnits: spentOf(reply),
      balanceUnits: balance,
      requestId: replayed ? null : c.get("requestId"),
    };
    return showDraft(c, { kind, typed: keptOf(kind, typed), posted: typed, sent });
  }
  // The form's mark was used for another request, so this form can never be sent with it.
  const reused = body["code"] === "idempotency_mismatch";
  const refused = reused
    ? { error: send[lang].reused }
    : { ...refusalIn(reply, lang), field: body.param, toBilling: body["code"] === "insufficient_balance" };
  const once = reused ? undefined : form.once;
  return showDraft(c, { kind, typed, once, refused, confirm: typed["confirmed"] }, status as ContentfulStatusCode);
}

function kindOf(c: Ctx): SendKind {
  const kind = c.req.param("kind") ?? "sms";
  return isKind(kind) ? kind : fail("not_found", "There is nothing at this address.");
}

async function answerForm(c: Ctx, kind: SendKind): Promise<Response> {
  const form = await readForm(c);
  const sent = await sendForm(c, kind, form);
  const { typed, refused } = sent;
  if (refused) {
    const { confirm, figures } = refused;
    // The script asks again with this number confirmed, or at this price.
    if (confirm !== undefined) c.header("Confirm-Number", confirm);
    if (figures) {
      c.header("Price-Units", String(figures.cost));
      c.header("Price-Quote", figures.quote);
    }
    return showDraft(c, { kind, typed, once: form.once, refused, confirm, figures }, refusedStatus(c, refused));
  }
  const { reply } = sent;
  const balance = reply.body.success ? ((await stubOf(c).view())?.balance ?? null) : null;
  return wantsJson(c) ? passOn(c, reply, balance) : showOutcome(c, kind, form, typed, reply, balance);
}

/** What a form would send and cost; while it is typed (`isWhole` false), nothing is said of fields that are empty. */
async function figuresOf(c: Ctx, kind: SendKind, typed: Typed, isWhole: boolean): Promise<FormFigures | undefined> {
  const { lang } = viewOf(c);
  const found = await preflightOf(c, refOf(c), ORDERINGS[kind], bodyOf(kind, typed));
  if (!found?.ok) return undefined;
  return formFigures(kind, typed, found.preflight, { number: refusedNumber(kind, typed, lang), isWhole, lang });
}

/** The page with a form's figures, for a browser without the script. */
async function showChecked(c: Ctx, kind: SendKind, form: PostedForm): Promise<Response> {
  const { typed, refused } = kind === "bulk" ? await mergeFile(c, form, true) : { typed: form.typed };
  const stopped = otherMode(c, typed) ?? refused;
  const figures = stopped ? undefined : await figuresOf(c, kind, typed, true);
  return showDraft(c, { kind, typed, once: form.once, refused: stopped, figures }, refusedStatus(c, stopped));
}

/**
 * What a form would send, for the script: its figures, the number or numbers that were read, and the request as a command.
 * The button of a browser without the script gets the page.
 */
async function checkForm(c: Ctx, kind: SendKind): Promise<Response> {
  const form = await readForm(c);
  const { typed } = form;
  if (typed["check"] !== undefined) return showChecked(c, kind, form);
  const figures = await figuresOf(c, kind, typed, false);
  return showPart(
    c,
    <>
      {kind === "bulk" ? <FoundNumbers found={recipientsOf(typed)} /> : <NumberRead kind={kind} typed={typed} />}
      <SampleCode sample={sampleOf(settings(c), kind, typed)} />
      <Figures figures={figures} />
    </>,
  );
}

/** `/send` and `/send/:kind`: a form for every operation, sent through the API. */
export const sendPages = (app: Api) => {
  for (const path of ["/send", "/send/:kind"]) {
    app.get(path, page, signedIn, (c) => {
      const kind = kindOf(c);
      return showDraft(c, { kind, typed: prefilled(kind, c.req.query("to") ?? "", c.req.query("file") ?? "") });
    });
  }
  app.post("/send/bulk/check", bodyUpTo(LIST_BYTES_MAX), page, signedIn, (c) => checkForm(c, "bulk"));
  app.post("/send/bulk", bodyUpTo(LIST_BYTES_MAX), page, signedIn, (c) => answerForm(c, "bulk"));
  app.post("/send/:kind/check", page, signedIn, (c) => checkForm(c, kindOf(c)));
  app.post("/send/:kind", page, signedIn, (c) => answerForm(c, kindOf(c)));
};
