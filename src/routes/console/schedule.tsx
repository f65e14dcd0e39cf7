import type { Context } from "hono";
import { cancelRequest, findRequest } from "../../activity/request.ts";
import { formOf, otherMode } from "../../console/forms.ts";
import { at, page, personOf, refOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { messageId, readMessageId } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail, failBy } from "../../http/errors.ts";
import { numbersIn } from "../../http/query.ts";
import type { MessageDetail, RequestPage, ScheduledRequest, TakenBack } from "../../model/message-detail.ts";
import type { MessageView } from "../../model/message.ts";
import { objectOf } from "../../objects.ts";
import { CancelQuestion, Schedule, cancelRequestPath } from "../../ui/send/schedule.tsx";
import type { Cancellable } from "../../ui/send/schedule.tsx";
import { schedule } from "../../ui/words/schedule.ts";

type Ctx = Context<AppEnv>;

/** Requests on one page. */
const PAGE_SIZE = 25;

const missing = () => fail("not_found", "There is nothing at this address.");
const tooLate = () => failBy("too_late", { id: "too_late" });

/** A message of a request that can be cancelled, which is not claimed. */
const waits = ({ state }: MessageView) => state === "scheduled" || state === "queued";

/** `GET /schedule?after=`: what is scheduled, next first. */
async function list(c: Ctx): Promise<Response> {
  const [sendAt, seq] = numbersIn(2)(c.req.query("after") ?? "") ?? [];
  const after = sendAt === undefined || seq === undefined ? null : { sendAt, seq };
  const found: ScheduledRequest[] = (await stubOf(c).schedule(after, PAGE_SIZE + 1)) ?? [];
  const shown = found.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  const next = found.length > PAGE_SIZE && last ? `${last.sendAt}.${last.lastSeq}` : null;
  const { KEY_SECRET } = settings(c);
  const ref = refOf(c);
  const cancelled = Number(/^\d{1,5}$/u.exec(c.req.query("cancelled") ?? "")?.[0] ?? 0);
  const content = (
    <Schedule
      list={shown}
      idOf={(of) => messageId(KEY_SECRET, ref, of.operation, of)}
      later={next && at(c, `/schedule?after=${next}`)}
      cancelled={cancelled}
    />
  );
  return show(c, content, { title: schedule[viewOf(c).lang].title, active: "schedule" });
}

function ask(c: Ctx, of: Cancellable, action: string, back: string, isWhole: boolean) {
  const t = schedule[viewOf(c).lang];
  const content = <CancelQuestion of={of} action={action} back={back} isWhole={isWhole} />;
  return show(c, content, { title: isWhole ? t.askAll : t.askOne, active: "schedule" });
}

/** Ends a post that is not from this mode's page; and one that cancelled nothing. */
async function expectMode(c: Ctx): Promise<void> {
  const other = otherMode(c, await formOf(c));
  if (other) fail(other.code, other.error, { forReader: true });
}

function doneOf(taken: TakenBack | "too_late" | null): TakenBack {
  if (taken === null) return missing();
  return taken === "too_late" ? tooLate() : taken;
}

const sourceOf = (c: Ctx) => ({ env: c.env, ref: refOf(c), stub: stubOf(c) });

/** Messages that the question shows the first of. */
const LOOKED_MAX = 10_000;

/** What of a request would be cancelled; null where nothing is left. */
function leftOf({ messages }: RequestPage): Cancellable | null {
  const left = messages.filter(waits);
  const [first] = left;
  if (!first) return null;
  return { to: first.to, messages: left.length, units: first.charge * left.length, sendAt: first.sendAt };
}

/** `/schedule/:request/cancel`: cancels what is left of a request, after a question. */
const ofRequest = (app: Api) =>
  app
    .get("/schedule/:request/cancel", page, signedIn, async (c) => {
      const requestId = c.req.param("request");
      const found = (await findRequest(sourceOf(c), requestId, null, LOOKED_MAX)) ?? missing();
      return ask(c, leftOf(found) ?? tooLate(), cancelRequestPath(requestId), "/schedule", true);
    })
    .post("/schedule/:request/cancel", page, signedIn, async (c) => {
      await expectMode(c);
      const { cancelled } = doneOf(await cancelRequest(sourceOf(c), c.req.param("request")));
      return c.redirect(at(c, `/schedule?cancelled=${cancelled}`), 303);
    });

/** The message in the path, which is this person's. */
function ownPlace(c: Ctx) {
  const place = readMessageId(settings(c).KEY_SECRET, c.req.param("id") ?? "");
  return place?.accountId === personOf(c).accountId ? place : missing();
}

/** `/activity/:id/cancel`: cancels one message, after a question. */
const ofMessage = (app: Api) =>
  app
    .get("/activity/:id/cancel", page, signedIn, async (c) => {
      const place = ownPlace(c);
      const story: MessageDetail = (await objectOf(c.env, place).messageDetail(place)) ?? missing();
      const { message } = story;
      if (!waits(message)) return tooLate();
      const path = `/activity/${c.req.param("id")}`;
      const of = { to: message.to, messages: 1, units: message.charge, sendAt: message.sendAt };
      return ask(c, of, `${path}/cancel`, path, false);
    })
    .post("/activity/:id/cancel", page, signedIn, async (c) => {
      const place = ownPlace(c);
      doneOf(await objectOf(c.env, place).takeBack({ seq: place.seq, index: place.index }));
      return c.redirect(at(c, `/activity/${c.req.param("id")}`), 303);
    });

/** `/schedule`: what is scheduled, and how it is cancelled. */
export const schedulePages = (app: Api) => {
  app.get("/schedule", page, signedIn, (c) => list(c));
  ofRequest(app);
  ofMessage(app);
};
