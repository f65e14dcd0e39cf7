import type { Evidence, Receipt, Submission } from "./evidence.ts";
import { GATEWAY } from "./evidence.ts";
import { runningFaults } from "./faults.ts";
import { Proof } from "./proof.ts";

// The gateway's receipts, and what the service made of them.

/** Forged, stale and malformed receipts are refused; all others are accepted in the end. */
export function receiptsAreJudged({ receipts }: Evidence): Proof {
  const proof = new Proof("forged and stale receipts are refused with 401, senseless ones with 400");
  const answers: Record<string, number> = { forged: 401, stale: 401, no_state: 400 };
  for (const { carrier, ref, fault, statuses } of receipts) {
    if (fault === null) continue;
    const answered = statuses.filter((status) => status !== null && status < 500);
    // A jump of the clock at this moment makes any signature stale.
    // One that is of no message that its carrier was given is taken, and changes nothing.
    const due = answers[fault] ?? 200;
    const right = answered.every((status) => status === due || (status === 401 && carrier === GATEWAY));
    proof.holds(right, () => `a receipt for ${ref} that was ${fault} was answered ${statuses.join(", ")}`);
  }
  return proof;
}

/** Whether a receipt was acknowledged only after the file that holds its message was stored: it changes nothing. */
export const cameTooLate = ({ takenAt }: Receipt, archivedAt: number | null) =>
  takenAt !== Infinity && archivedAt !== null && takenAt > archivedAt;

/** Faults that can lose an answer before the service has stored the id in it. */
const LOSING = ["kill", "term", "rotate", "deploy", "rollback", "evict", "break_off", "interrupt"];
/** So soon after an answer the id in it is stored, in ms. */
const STORED_MS = 1_500;

/** Whether a receipt has only an id that the service may never have had: the answer that said it may be lost. */
export function mayBeUntold({ faults, timers }: Evidence, { carrier }: Receipt, own: Submission[]): boolean {
  if (carrier === GATEWAY) return false;
  const taken = own.find((one) => one.carrier === carrier && one.tells === "taken");
  if (!taken?.answered || taken.answeredAt - taken.at >= timers.CARRIER_TIMEOUT_MS) return true;
  return runningFaults(faults, taken.at, taken.answeredAt + STORED_MS, LOSING).length > 0;
}

const RANK: Record<string, number> = { submitted: 0, undelivered: 1, failed: 1, delivered: 2 };
const rank = (state: string) => RANK[state] ?? 0;

/** States that say at least that the gateway took the message: `submitted` needs no entry of its own before them. */
const TAKEN = new Set(["submitted", "unconfirmed", "undelivered", "failed", "delivered"]);

/** Every genuine receipt that was acknowledged, and that no other one could precede, is in the timeline. */
export function receiptsShow(evidence: Evidence): Proof {
  const { receipts, books, history, submissions, routing } = evidence;
  const given = Map.groupBy(submissions, ({ ref }) => ref);
  const proof = new Proof("every genuine receipt that was acknowledged shows in the message's timeline");
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  const genuine = Map.groupBy(
    receipts.filter(({ fault }) => fault === null),
    ({ ref }) => ref,
  );
  let late = 0;
  for (const { account, ref, to, archivedAt, errorCode } of books.flatMap(({ messages }) => messages)) {
    const timeline = lives.get(`${account} ${to}`)?.timeline ?? [];
    const own = genuine.get(ref) ?? [];
    for (const receipt of own) {
      if (receipt.takenAt === Infinity || mayBeUntold(evidence, receipt, given.get(ref) ?? [])) continue;
      // The answer came too late for the service on a machine that stalls; how many these are is judged elsewhere.
      if (errorCode === "timeout" && receipt.carrier !== GATEWAY) continue;
      if (cameTooLate(receipt, archivedAt)) {
        late += 1;
        continue;
      }
      const rival = own.some(
        (other) => other !== receipt && rank(other.state) >= rank(receipt.state) && other.at <= receipt.takenAt,
      );
      if (rival && receipt.state !== "delivered") continue;
      // With several carriers, a receipt that is no delivery waits for the outcome of the attempt, and a delivery does not.
      const isOutrun =
        routing !== null && own.some((other) => other.state === "delivered" && other.takenAt !== Infinity);
      if (isOutrun && receipt.state !== "delivered") continue;
      const shows = timeline.some(
        ({ state }) => state === receipt.state || (receipt.state === "submitted" && TAKEN.has(state)),
      );
      proof.holds(
        shows,
        () => `${ref} to ${to} was ${receipt.state} by a receipt: ${timeline.map(({ state }) => state).join(" → ")}`,
      );
    }
  }
  proof.note = `${late} came for what was archived`;
  return proof;
}
