import type { Config } from "./config.ts";
import { demoAccountId } from "./customers.ts";
import { insertPerson, personBy } from "./db/people.ts";
import type { PersonRow } from "./db/people.ts";
import { randomId } from "./ids.ts";

// People: who signs in, and the account that each of them has.

/** The demo customer of one's own machine; null where `npm start` has not opened the demo account. */
export async function demoPerson(env: Env, config: Config): Promise<PersonRow | null> {
  const accountId = demoAccountId(config);
  if ((await env.ACCOUNT.getByName(accountId).view()) === null) return null;
  const known = await personBy(env.DB, { accountId });
  if (known) return known;
  const demo = { name: "Demo", phone: null, email: "demo@example.com", password: null, buyer: null };
  await insertPerson(env.DB, { id: randomId("psn"), accountId, ...demo, createdAt: Date.now() });
  return personBy(env.DB, { accountId });
}
