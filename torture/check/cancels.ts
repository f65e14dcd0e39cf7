import type { Evidence, Intention, Message, Recorded, Try } from "./evidence.ts";
import { units } from "./evidence.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";

// What customers took back.

/** The requests that took the same back, and the messages that they speak of. */
interface Cancel {
  path: string;
  account: string;
  tries: Try[];
  targets: Message[];
}

const isCancel = ({ intention }: Case) => intention.method === "DELETE";
const idIn = ({ path }: Intention) => path.split("/").at(-1) ?? "";

function cancelsOf(cases: Case[]): Cancel[] {
  const messages = cases.flatMap((one) => one.messages);
  const byRef = Map.groupBy(messages, ({ ref }) => ref);
  const byRequest = Map.groupBy(messages, ({ requestId }) => requestId);
  const same = Map.groupBy(cases.filter(isCancel), ({ intention }) => intention.path);
  return [...same].flatMap(([path, list]) => {
    const [first] = list;
    if (!first) return [];
    const id = idIn(first.intention);
    const targets = (path.startsWith("/v1/requests/") ? byRequest : byRef).get(id) ?? [];
    const tries = list.flatMap(({ intention }) => intention.tries);
    return [{ path, account: first.account.id, tries, targets }];
  });
}

/** The references of messages that somebody wanted to take back. */
export function askedBack(cases: Case[]): Set<string> {
  return new Set(cancelsOf(cases).flatMap(({ targets }) => targets.map(({ ref }) => ref)));
}

const livesOf = ({ history }: Evidence) => new Map(history.map((row) => [`${row.account} ${row.to}`, row]));

const wasCancelled = (lives: Map<string, Recorded>, { account, to }: Message) =>
  lives.get(`${account} ${to}`)?.timeline.some(({ state }) => state === "cancelled") === true;

/** Whether a request may have been done without its sender knowing what came of it. */
const isLost = ({ status }: Try) => status === null || status >= 500;

const saidIn = ({ body }: Try) => JSON.parse(body) as { cancelled: number; refunded: number };

/** What each reply to a cancel says is so, and stays so: what is taken back, and its price; `too_late` only of what is not. */
export function cancelsAreTrue(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("cancels tell the truth: what a reply says was taken back is, with its price, and stays so");
  const lives = livesOf(evidence);
  let [late, gone] = [0, 0];
  for (const { path, tries, targets } of cancelsOf(cases)) {
    const back = targets.filter((message) => wasCancelled(lives, message)).length;
    const [price = 0] = targets.map(({ charge }) => charge);
    let most = 0;
    for (const one of tries) {
      const { status, sentAt, endedAt } = one;
      const before = tries.filter((other) => other.status === 200 && other.endedAt < sentAt);
      const known = Math.max(0, ...before.map((other) => saidIn(other).cancelled));
      if (status === 200) {
        const { cancelled, refunded } = saidIn(one);
        most = Math.max(most, cancelled);
        const fits = cancelled >= Math.max(1, known) && cancelled <= back && units(refunded) === cancelled * price;
        proof.holds(fits, () => `${path}: ${one.body}, of ${targets.length} messages, of which ${back} are cancelled`);
      } else if (status === 409) {
        late += 1;
        if (known > 0) proof.against.push(`${path} was too late after ${known} were cancelled`);
      } else if (status === 404) {
        const isGone = targets.every(({ archivedAt }) => archivedAt !== null && archivedAt <= endedAt);
        if (isGone) gone += 1;
        else proof.against.push(`${path} was not found, of ${targets.length} messages`);
      }
    }
    const isKnown = !tries.some(isLost);
    if (isKnown && back !== most) proof.against.push(`${path}: ${back} are cancelled, and replies said ${most}`);
  }
  proof.note = `${late} came too late, ${gone} after the archive`;
  return proof;
}

/**
 * What is cancelled was taken back by its customer, is refunded once and whole, and reached no gateway after the reply that
 * said so.
 */
export function cancelledIsGone(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof(
    "what is cancelled was asked back, is refunded once, and goes to no gateway after the reply that says so",
  );
  const lives = livesOf(evidence);
  const asked = new Map<string, number>();
  for (const { tries, targets } of cancelsOf(cases)) {
    const toldAt = Math.min(Infinity, ...tries.filter(({ status }) => status === 200).map(({ endedAt }) => endedAt));
    for (const { ref } of targets) asked.set(ref, Math.min(toldAt, asked.get(ref) ?? Infinity));
  }
  const refunds = Map.groupBy(
    evidence.books.flatMap(({ ledger }) => ledger.filter(({ type }) => type === "refund")),
    ({ messageId }) => messageId ?? "",
  );
  const seen = new Map<string, number>();
  for (const { ref, at } of evidence.submissions) seen.set(ref, Math.max(at, seen.get(ref) ?? 0));
  for (const message of evidence.books.flatMap(({ messages }) => messages)) {
    if (!wasCancelled(lives, message)) continue;
    const { ref, to, charge } = message;
    const toldAt = asked.get(ref);
    proof.holds(toldAt !== undefined, () => `${ref} to ${to} is cancelled, and nobody asked for that`);
    const own = refunds.get(ref) ?? [];
    const isBack = own.length === 1 && own[0]?.amount === charge;
    proof.holds(isBack, () => `${ref} to ${to} is cancelled, and has ${own.length} refunds`);
    const late = (seen.get(ref) ?? -Infinity) > (toldAt ?? Infinity);
    proof.holds(!late, () => `${ref} to ${to} was submitted after the reply that it is cancelled`);
  }
  return proof;
}
