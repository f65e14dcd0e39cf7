import type { Books, Evidence, Message, Recorded } from "./evidence.ts";
import { Proof } from "./proof.ts";

// What left the accounts for the archive: it is there, whole and once.

const coins = (units: number) => units / 10_000;

/** The files of an account follow each other from its first number to its checkpoint. */
function followsOn(proof: Proof, { id, archives, checkpoint }: Books): void {
  let [seq, balance] = [0, 0];
  for (const { name, first, last, before, after, problems } of archives) {
    proof.holds(problems.length === 0, () => `account ${id}: ${name}: ${problems.join("; ")}`);
    const follows = first === seq + 1 && before === balance && last >= first;
    proof.holds(follows, () => `account ${id}: ${name} begins at ${first} with ${coins(before)}, after ${seq}`);
    [seq, balance] = [last, after];
  }
  const ends = checkpoint.seq === seq && checkpoint.balance === balance;
  proof.holds(ends, () => `account ${id}: its checkpoint is ${checkpoint.seq}, and its files end at ${seq}`);
}

/** Every file of the archive is as its manifest says, and together they hold all numbers up to the checkpoint once. */
export function archivesAreWhole({ books }: Evidence): Proof {
  const proof = new Proof(
    "the archive is whole: hashes, numbers and balances of each file, gapless up to the checkpoint",
  );
  for (const account of books) if (account.archives.length + account.checkpoint.seq > 0) followsOn(proof, account);
  const all = books.flatMap(({ archives }) => archives);
  const messages = books.flatMap((one) => one.messages.filter(({ archivedAt }) => archivedAt !== null));
  const entries = books.flatMap(({ ledger, checkpoint }) => ledger.filter(({ seq }) => seq <= checkpoint.seq));
  proof.checked = messages.length;
  proof.note = `${all.length} files of ${books.filter(({ archives }) => archives.length > 0).length} accounts; ${messages.length} messages and ${entries.length} entries archived`;
  return proof;
}

/** What was archived left its account: no message and no entry is in both. */
export function nothingIsInBoth({ books }: Evidence): Proof {
  const proof = new Proof("what was archived left its account");
  for (const { id, messages, listed, checkpoint } of books) {
    const archived = new Set(messages.filter(({ archivedAt }) => archivedAt !== null).map(({ ref }) => ref));
    for (const { ref, archivedAt } of messages) {
      if (archivedAt !== null) continue;
      proof.holds(!archived.has(ref), () => `account ${id} has ${ref}, which its archive has`);
    }
    for (const seq of listed) {
      proof.holds(seq > checkpoint.seq, () => `account ${id} has the entry ${seq}, below its checkpoint`);
    }
  }
  return proof;
}

/** Job numbers that share one row of single messages in history. */
const BUCKET_JOBS = 64;

/** The last number in the row of history that has this message. */
const endOfRow = ({ seq, isBulk }: Recorded) => (isBulk ? seq : seq - (seq % BUCKET_JOBS) + BUCKET_JOBS - 1);

const told = (one: Message | Recorded) =>
  JSON.stringify([one.requestId, one.to, one.state, one.charge, one.attempts, one.carrier, one.errorCode]);

/**
 * History (D1) does not keep what was archived, except in the row that the checkpoint is within; there it is as in the
 * archive.
 */
export function historyForgets({ books, database }: Evidence): Proof {
  const proof = new Proof("history keeps of what was archived only the row in which the checkpoint is");
  const rows = Map.groupBy(database, ({ account }) => account);
  for (const { id, messages, checkpoint } of books) {
    const archived = new Map(
      messages.filter(({ archivedAt }) => archivedAt !== null).map((message) => [message.to, message] as const),
    );
    proof.checked += archived.size;
    for (const row of rows.get(id) ?? []) {
      const message = archived.get(row.to);
      if (!message) continue;
      proof.holds(endOfRow(row) > checkpoint.seq, () => `history has ${row.to} of ${id}, number ${row.seq}, still`);
      proof.holds(told(message) === told(row), () => `history has ${told(row)}, and the archive ${told(message)}`);
    }
  }
  return proof;
}
