import type { FeedEvent } from "./consumed.ts";
import type { Books, Evidence, Message, Recorded } from "./evidence.ts";
import { units } from "./evidence.ts";
import { Proof } from "./proof.ts";

// The sequence of events: whole, the same for all who read it, and true by the books.

/** Every feed is numbered from 1 without a gap, and those who read pages or the socket have each event once and in order. */
export function eventsAreOnce({ consumed: { feeds, followers } }: Evidence): Proof {
  const proof = new Proof(
    "events have no gap from 1 on, and who reads pages or the socket and is killed gets each once, in order",
  );
  for (const [account, events] of feeds) {
    const gap = events.findIndex(({ seq }, at) => seq !== at + 1);
    proof.holds(gap < 0, () => `account ${account}: event ${gap + 1} has the number ${events[gap]?.seq}`);
  }
  for (const { account, by, events, refused } of followers) {
    const feed = feeds.get(account) ?? [];
    const name = `account ${account} by ${by}`;
    for (let at = 0; at < Math.max(feed.length, events.length); at += 1) {
      const [wanted, got] = [feed[at], events[at]];
      const same = JSON.stringify(wanted) === JSON.stringify(got);
      proof.holds(same, () => `${name}: instead of ${JSON.stringify(wanted)} got ${JSON.stringify(got)}`);
      // What follows a gap is shifted.
      if (!same) break;
    }
    for (const one of refused) proof.holds(false, () => `${name} was refused: ${one}`);
  }
  const lives = followers.reduce((sum, one) => sum + one.lives, 0);
  const kinds = new Set(followers.filter(({ events }) => events.length > 0).map(({ by }) => by));
  if (kinds.size < 2) proof.checked = 0;
  proof.note = `${[...feeds.values()].flat().length} events of ${feeds.size} accounts; ${followers.length} readers in ${lives} lives`;
  return proof;
}

/** States of which there are events; the others are none. */
const TOLD = new Set(["submitted", "delivered", "undelivered", "unconfirmed", "failed", "unknown", "cancelled"]);

/** Why the events of a message do not tell its life; null: they do. `submitted` may be left out where an end follows. */
function differenceOf(told: FeedEvent[], { timeline }: Recorded): string | null {
  const states = timeline.filter(({ state }) => TOLD.has(state));
  const left = [...told];
  for (const [at, { state, at: ms }] of states.entries()) {
    const [next] = left;
    if (next?.type === `message.${state}` && Date.parse(next.at) === ms) left.shift();
    else if (state !== "submitted" || at === states.length - 1) return `no event for ${state}`;
  }
  return left.length === 0 ? null : `an event ${left[0]?.type} too many, or not in its place`;
}

function isOf({ data, type }: FeedEvent, { requestId, operation, to, charge, attempts }: Message): boolean {
  const known = data["request_id"] === requestId && data["operation"] === operation && data["to"] === to;
  const state = type.replace("message.", "");
  const isBack = state === "failed" || state === "cancelled";
  const refunded = data["refunded"] === true || (data["refunded"] === false && !isBack);
  const fate = data["state"] === state && units(data["cost"]) === charge && Number(data["attempts"]) <= attempts;
  return known && fate && refunded;
}

/** Every message's events are its life: no state without its event, no event without its state, in their order. */
export function eventsTellLives({ consumed: { feeds }, books, history }: Evidence): Proof {
  const proof = new Proof("the events of each message are its life, with its cost, and no final state is without one");
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  for (const { id, messages, ledger } of books) {
    const feed = feeds.get(id);
    if (!feed) continue;
    const refunded = new Set(ledger.filter(({ type }) => type === "refund").map(({ messageId }) => messageId));
    const own = Map.groupBy(
      feed.filter(({ type }) => type.startsWith("message.")),
      ({ data }) => String(data["message_id"]),
    );
    for (const message of messages) {
      const { ref, to } = message;
      const told = own.get(ref) ?? [];
      own.delete(ref);
      const life = lives.get(`${id} ${to}`);
      const difference = life ? differenceOf(told, life) : "no life";
      proof.holds(difference === null, () => {
        const states = life?.timeline.map(({ state, at }) => `${state} ${at}`).join(" → ");
        const events = told.map(({ type, at }) => `${type} ${Date.parse(at)}`).join(", ");
        return `${ref} to ${to}: ${difference}: ${events}; ${states}`;
      });
      const wrong = told.find(
        (event) => !isOf(event, message) || (event.data["refunded"] === true && !refunded.has(ref)),
      );
      proof.holds(!wrong, () => `${ref} to ${to} is told otherwise: ${JSON.stringify(wrong)}`);
    }
    for (const ref of own.keys()) {
      proof.holds(false, () => `account ${id}: an event tells of ${ref}, which is no message`);
    }
  }
  return proof;
}

/** The balance below which `balance.low` is told, in units, unless the account sets another. */
const LOW_UNITS = 100_000;

/** What the ledger says that events must tell, after the opening balance: its credits, and when it became low. */
function toldByLedger({ ledger }: Books): string[] {
  return ledger.flatMap(({ type, amount, after, reference }) => {
    if (reference === "opening") return [];
    if (type === "credit") return [`credit.added ${amount} ${after}`];
    const before = after - amount;
    return amount < 0 && before >= LOW_UNITS && after < LOW_UNITS ? [`balance.low ${after}`] : [];
  });
}

/** Credits, a balance that becomes low, and webhooks that are disabled have their events, once. */
export function notesAreTold({ consumed: { feeds, hooks }, books }: Evidence): Proof {
  const proof = new Proof("credits, a balance that becomes low and a webhook that is gone are events, once each");
  for (const account of books) {
    const feed = feeds.get(account.id);
    if (!feed) continue;
    const told = feed.flatMap(({ type, data }) => {
      if (type === "credit.added") return [`${type} ${units(data["amount"])} ${units(data["balance"])}`];
      return type === "balance.low" ? [`${type} ${units(data["balance"])}`] : [];
    });
    const wanted = toldByLedger(account);
    const same = JSON.stringify(told) === JSON.stringify(wanted);
    proof.holds(same, () => `account ${account.id} was told ${told.join(", ")}; its ledger: ${wanted.join(", ")}`);
  }
  const disabled = [...feeds.values()].flat().filter(({ type }) => type === "webhook.disabled");
  const gone = hooks.filter(({ posts }) => posts.some(({ answer }) => answer === "gone")).map(({ by }) => by);
  const named = disabled.map(({ data }) => String(data["webhook_id"]));
  const right = JSON.stringify(named.toSorted()) === JSON.stringify(gone.toSorted());
  if (hooks.length > 0) {
    proof.holds(right, () => `${gone.join(", ")} said that they are gone; events name ${named.join(", ")}`);
  }
  proof.note = `${disabled.length} disabled`;
  return proof;
}
