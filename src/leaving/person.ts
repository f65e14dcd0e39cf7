import type { Config } from "../config/settings.ts";
import { eraseAttempts, erasePerson, eraseSignIns } from "../db/leaving.ts";
import { personBy } from "../db/people.ts";
import type { PersonRow } from "../db/people.ts";
import { bucketOf } from "../sign-in/buckets.ts";
import { hangUp } from "../sign-in/hang-up.ts";

// Erases a person: nothing that names them is left in the tables of signing in.

/** The counters whose subject is a person, a phone or an e-mail alone; those that add an address end within a day. */
const COUNTERS = {
  person: ["codePerson", "codePersonDay", "passwordPerson", "change", "changeDay"],
  phone: ["codePhone", "codePhoneDay"],
  email: ["passwordEmail"],
} as const;

function bucketsAbout(config: Config, { id, phone, nextPhone, email }: PersonRow): string[] {
  const about = (names: readonly string[], subject: string | null) =>
    subject === null
      ? []
      : config.KEY_SECRET.all.flatMap(({ value }) => names.map((name) => bucketOf(value, { name, subject })));
  return [
    ...about(COUNTERS.person, id),
    ...about(COUNTERS.phone, phone),
    ...about(COUNTERS.phone, nextPhone),
    ...about(COUNTERS.email, email),
  ];
}

/**
 * Erases the person of an account: sessions, sockets, codes, counters of attempts and, at last, the person. May be repeated
 * after an interruption: the row of the person, which the other deletions need, goes last.
 */
export async function forgetPerson(
  env: Env,
  config: Config,
  { personId, accountId }: { personId: string; accountId: string },
): Promise<void> {
  const person = await personBy(env.DB, { id: personId });
  const phones = [person?.phone, person?.nextPhone].filter((phone) => typeof phone === "string");
  await eraseSignIns(env.DB, personId, phones);
  if (!person) return;
  await eraseAttempts(env.DB, bucketsAbout(config, person));
  await erasePerson(env.DB, personId);
  // A session that began meanwhile has no person any more; a socket that it opened is closed with the others.
  await hangUp(env, accountId);
}
