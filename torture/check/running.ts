import type { Evidence, Sample } from "./evidence.ts";
import { Proof } from "./proof.ts";

// The service as a running process.

/** The peak of the last third of a run may exceed the earlier peaks by this much. */
const GROWTH = 1.25;
const GROWTH_KB = 65_536;

const megabytes = (kb: number) => `${Math.round(kb / 1024)} MB`;

const peak = (samples: Sample[]) => Math.max(0, ...samples.map(({ kb }) => kb));

/** Memory does not grow with the work done. */
export function memoryIsBounded({ memory }: Evidence): Proof {
  const proof = new Proof("memory is bounded");
  const third = Math.floor(memory.length / 3);
  const thirds = [memory.slice(0, third), memory.slice(third, 2 * third), memory.slice(2 * third)].map(peak);
  const [first = 0, second = 0, last = 0] = thirds;
  const most = Math.max(first, second) * GROWTH + GROWTH_KB;
  const told = `peaks of the run's thirds: ${thirds.map(megabytes).join(", ")}`;
  proof.holds(memory.length > 0 && last <= most, () => told);
  proof.checked = memory.length;
  proof.note = `${told}; ${new Set(memory.map(({ life }) => life)).size} lives`;
  return proof;
}

/** The service's own reconciliation finds nothing. */
export function recountAgrees({ books }: Evidence): Proof {
  const proof = new Proof("the service's own recount agrees (/operator/reconcile)");
  for (const { id, differences } of books) {
    proof.holds(differences.length === 0, () => `account ${id}: ${JSON.stringify(differences)}`);
  }
  return proof;
}
