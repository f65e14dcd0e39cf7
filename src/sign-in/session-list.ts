import type { Context } from "hono";
import { digest } from "../crypto/bytes.ts";
import { deleteSession, sessionsOf, updatePerson } from "../db/people.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person, SessionView } from "../model/person.ts";
import { rememberDevice } from "./devices.ts";
import { hangUp } from "./hang-up.ts";

// The sessions of a person: listed, and ended one by one (ASVS 5, 7.5.2).

const HANDLE_SIZE = 12;

/** A session's name on pages. It is neither the token nor its hash, and opens nothing; no change of a secret changes it. */
function handleOf(hash: string): string {
  return Buffer.from(digest("session-handle/v2", hash, HANDLE_SIZE)).toString("base64url");
}

/** The sessions of a person that have not expired: the one of this request first, then by last use. */
export async function listSessions(c: Context<AppEnv>, personId: string): Promise<SessionView[]> {
  const own = c.get("session")?.hash;
  const rows = await sessionsOf(c.env.DB, personId, Date.now());
  return rows
    .map(({ hash, device, country, city, createdAt, seenAt }) => ({
      handle: handleOf(hash),
      device,
      country,
      city,
      current: hash === own,
      createdAt,
      seenAt,
    }))
    .toSorted((one, other) => Number(other.current) - Number(one.current));
}

/**
 * Ends one session of a person, and forgets every browser but this one: the ended browser needs a code when it signs in
 * again. False when the person has no such session.
 */
export async function endOneSession(c: Context<AppEnv>, person: Person, handle: string): Promise<boolean> {
  const nowMs = Date.now();
  const rows = await sessionsOf(c.env.DB, person.id, nowMs);
  const row = rows.find(({ hash }) => handleOf(hash) === handle);
  if (!row) return false;
  await updatePerson(c.env.DB, person.id, { devicesSince: nowMs });
  await deleteSession(c.env.DB, row.hash);
  if (row.hash !== c.get("session")?.hash) rememberDevice(c, person.id);
  await hangUp(c.env, person.accountId);
  return true;
}
