import type { Evidence, Intention } from "./evidence.ts";
import { unknownOrders } from "./money.ts";
import type { Case } from "./orders.ts";
import type { Proof } from "./proof.ts";

// The verdict in readable form.

/** Counterexamples shown per property. */
const SHOWN = 5;

function counted(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(" · ");
}

/** What an order is: what is taken back is not named. */
const nameOf = ({ method, path }: Intention) =>
  method === "DELETE" ? path.replace(/^\/v1\/(\w+)\/.*$/u, "take back $1") : path;

/** A summary of the run, in lines. */
export function story(evidence: Evidence, cases: Case[]): string[] {
  const { seed, minutes, clock, faults, submissions, receipts, intentions, accounts } = evidence;
  const tries = intentions.flatMap((one) => one.tries);
  const outcome = ({ status, replayed }: (typeof tries)[number]) =>
    status === null ? "no answer" : `${status}${replayed ? " replayed" : ""}`;
  const unknown = unknownOrders(cases);
  return [
    `seed ${seed} · ${minutes} min · ${accounts.size} accounts · clock: ${clock}`,
    `requests  ${tries.length}: ${counted(tries.map(outcome))}`,
    `orders    ${intentions.length}: ${counted(intentions.map((one) => (one.means === "good" ? nameOf(one) : one.means)))}`,
    `unknown   ${unknown.length} orders never had an answer; ${unknown.filter(({ messages }) => messages.length > 0).length} of them were done`,
    `gateway   ${submissions.length}: ${counted(submissions.map(({ decision }) => decision))}`,
    `receipts  ${receipts.length}: ${counted(receipts.map(({ state, fault }) => fault ?? state))}`,
    `faults    ${faults.length}: ${counted(faults.map(({ kind, how }) => `${kind} ${how}`.trim()))}`,
  ];
}

/** One property, with its first counterexamples. */
export function line({ name, checked, note, against }: Proof): string[] {
  const head = `${against.length === 0 ? "✓" : "✗"} ${name} (${checked} checked${note && `; ${note}`})`;
  const more = against.length > SHOWN ? [`    … and ${against.length - SHOWN} more`] : [];
  return [head, ...against.slice(0, SHOWN).map((one) => `    ${one}`), ...more];
}

/** The conclusion. A run in which a property had nothing to be checked on proves nothing of it. */
export function verdictOn(proofs: Proof[]): { proved: boolean; text: string } {
  const failed = proofs.filter(({ against }) => against.length > 0);
  if (failed.length > 0) return { proved: false, text: `FAILED: ${failed.length} of ${proofs.length} do not hold.` };
  const idle = proofs.filter(({ checked, needsNone }) => checked === 0 && !needsNone);
  if (idle.length === 0) return { proved: true, text: "PROVED: everything above holds." };
  const names = idle.map(({ name }) => `\n    ${name}`).join("");
  return { proved: false, text: `NOT PROVED: the run had nothing on which to check${names}` };
}
