import type { Context } from "hono";
import { configOf } from "../config/config.ts";
import { showKeyId } from "../crypto/api-key.ts";
import { digest } from "../crypto/bytes.ts";
import { randomId } from "../crypto/ids.ts";
import { insertAct } from "../db/audit.ts";
import type { AppEnv } from "../http/app.ts";
import { addressMac } from "../http/security.ts";
import { logLine, logProblem } from "../log.ts";
import type { ActDetails, ActorKind, RecordedAct, ReportedAct } from "../model/audit.ts";
import type { Person } from "../model/person.ts";

// Records acts in the audit trail, and writes a security line for each. An act is recorded after it is done and before
// its reply, so that the trail never names one that was refused. While D1 is away the act counts all the same, and its
// security line, which then says so, is the record.

/** The waits before D1 is asked again. */
const RETRY_WAITS_MS = [50, 200];

const TEXT_LENGTH_MAX = 200;

const ONCE_SIZE = 15;
const SESSION_LENGTH = 16;

/** An act of the request's operator, person or key. */
interface Act extends ReportedAct {
  /** The person who acted, where the request had no session of theirs before. */
  person?: Pick<Person, "id" | "accountId">;
}

/** Who acted, and from where. */
interface Origin extends Pick<RecordedAct, "address" | "requestId" | "session"> {
  kind: ActorKind;
  actor: string;
}

const shortened = (text: string) => text.toWellFormed().slice(0, TEXT_LENGTH_MAX);

const shortDetails = (details: ActDetails): ActDetails =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === "string" ? shortened(value) : value]),
  );

/** The id of an act: derived where it may be reported again, however the secrets changed meanwhile. */
function idOf({ action, accountId = "", once }: ReportedAct): string {
  if (once === undefined) return randomId("act");
  const bytes = digest("audit-once/v2", `${action}\0${accountId}\0${once}`, ONCE_SIZE);
  return `act_${Buffer.from(bytes).toString("base64url")}`;
}

/** Adds the row, trying again where D1 does not answer; null when it never did. */
async function store(env: Env, row: RecordedAct): Promise<boolean | null> {
  for (const waitMs of [0, ...RETRY_WAITS_MS]) {
    if (waitMs > 0) await scheduler.wait(waitMs);
    try {
      return await insertAct(env.DB, row);
    } catch (problem) {
      logProblem("audit", problem);
    }
  }
  return null;
}

async function record(env: Env, act: ReportedAct, { kind, actor, address, requestId, session }: Origin): Promise<void> {
  const row: RecordedAct = {
    id: idOf(act),
    at: Date.now(),
    actorKind: kind,
    actor,
    accountId: act.accountId ?? null,
    action: act.action,
    subject: act.subject === undefined ? null : shortened(act.subject),
    details: shortDetails(act.details ?? {}),
    address,
    requestId,
    session,
  };
  const stored = await store(env, row);
  // False: it was reported before, and its line was written then.
  if (stored === false) return;
  logLine("security", {
    act: row.action,
    by: kind,
    actor,
    account: row.accountId,
    subject: row.subject,
    details: JSON.stringify(row.details),
    address,
    request_id: requestId,
    session,
    ...(stored === null && { id: row.id, recorded: false }),
  });
}

/**
 * Records an act of the operator, key or person of this request. Never throws: what was done stays done. Call it after the
 * act, and await it before the reply.
 */
export async function audit(c: Context<AppEnv>, act: Act): Promise<void> {
  const origin = {
    address: addressMac(configOf(c.env).KEY_SECRET, c.req.raw.headers),
    requestId: c.get("requestId"),
  };
  const operator = c.get("operator");
  if (operator) {
    const { name, session } = operator;
    return record(c.env, act, { ...origin, kind: "operator", actor: name, session });
  }
  const key = c.get("key");
  if (key) {
    const { accountId, keyId } = key;
    return record(
      c.env,
      { accountId, ...act },
      { ...origin, kind: "customer", actor: showKeyId(keyId), session: null },
    );
  }
  const person = act.person ?? c.get("person");
  if (!person) throw new Error("an act is reported that has no actor");
  const session = c.get("session")?.hash.slice(0, SESSION_LENGTH) ?? null;
  const own = { accountId: person.accountId, ...act };
  return record(c.env, own, { ...origin, kind: "customer", actor: person.id, session });
}

/** Records an act of the service itself, such as a payment that a provider reported; `actor` names the part. */
export function auditService(env: Env, actor: string, act: ReportedAct): Promise<void> {
  return record(env, act, { kind: "service", actor, address: null, requestId: null, session: null });
}
