import type { Evidence, Receipt } from "./evidence.ts";
import { Proof } from "./proof.ts";

// The gateway's receipts, and what the service made of them.

/** Forged, stale and malformed receipts are refused; all others are accepted in the end. */
export function receiptsAreJudged({ receipts }: Evidence): Proof {
  const proof = new Proof("forged and stale receipts are refused with 401, senseless ones with 400");
  const answers: Record<string, number> = { forged: 401, stale: 401, no_state: 400, unknown_ref: 200 };
  for (const { ref, fault, statuses } of receipts) {
    if (fault === null) continue;
    const answered = statuses.filter((status) => status !== null && status < 500);
    // A jump of the clock at this moment makes any signature stale.
    const right = answered.every((status) => status === answers[fault] || status === 401);
    proof.holds(right, () => `a receipt for ${ref} that was ${fault} was answered ${statuses.join(", ")}`);
  }
  return proof;
}

/** Whether a receipt was acknowledged only after the file that holds its message was stored: it changes nothing. */
export const cameTooLate = ({ takenAt }: Receipt, archivedAt: number | null) =>
  takenAt !== Infinity && archivedAt !== null && takenAt > archivedAt;

const RANK: Record<string, number> = { submitted: 0, undelivered: 1, failed: 1, delivered: 2 };
const rank = (state: string) => RANK[state] ?? 0;

/** States that say at least that the gateway took the message: `submitted` needs no entry of its own before them. */
const TAKEN = new Set(["submitted", "unconfirmed", "undelivered", "failed", "delivered"]);

/** Every genuine receipt that was acknowledged, and that no other one could precede, is in the timeline. */
export function receiptsShow({ receipts, books, history }: Evidence): Proof {
  const proof = new Proof("every genuine receipt that was acknowledged shows in the message's timeline");
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  const genuine = Map.groupBy(
    receipts.filter(({ fault }) => fault === null),
    ({ ref }) => ref,
  );
  let late = 0;
  for (const { account, ref, to, archivedAt } of books.flatMap(({ messages }) => messages)) {
    const timeline = lives.get(`${account} ${to}`)?.timeline ?? [];
    const own = genuine.get(ref) ?? [];
    for (const receipt of own) {
      if (receipt.takenAt === Infinity) continue;
      if (cameTooLate(receipt, archivedAt)) {
        late += 1;
        continue;
      }
      const rival = own.some(
        (other) => other !== receipt && rank(other.state) >= rank(receipt.state) && other.at <= receipt.takenAt,
      );
      if (rival && receipt.state !== "delivered") continue;
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
