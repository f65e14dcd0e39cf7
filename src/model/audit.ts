// The audit trail: acts of operators, customers and the service on money, keys, people and settings.

/** Every act that is recorded. */
export const ACTIONS = [
  "session.started",
  "session.confirmed",
  "session.ended",
  "sessions.ended",
  "account.opened",
  "account.suspended",
  "account.activated",
  "account.plan",
  "account.rate",
  "account.rules",
  "account.own_cap",
  "account.closing",
  "account.kept",
  "account.erased",
  "account.exported",
  "account.balance_low",
  "money.credited",
  "money.adjusted",
  "order.made",
  "order.paid",
  "order.refunded",
  "order.disputed",
  "key.made",
  "key.shown",
  "key.rotated",
  "key.revoked",
  "keys.expired",
  "person.name",
  "person.phone",
  "person.phone_waits",
  "person.phone_stopped",
  "person.email",
  "person.password",
  "person.buyer",
  "person.shown",
  "webhook.made",
  "webhook.changed",
  "webhook.rotated",
  "dlt.changed",
  "webhook.shown",
  "webhook.deleted",
  "hook.made",
  "recording.renamed",
  "recording.deleted",
  "card.changed",
  "carrier.set",
  "carrier.deleted",
  "carrier.tested",
  "routes.changed",
  "carriers.imported",
  "numbers.changed",
  "payment.resolved",
  "letter.requeued",
  "letter.deleted",
  "history.rebuilt",
  "alert.tested",
] as const;

export type Action = (typeof ACTIONS)[number];

export const isAction = (text: string): text is Action => ACTIONS.some((action) => action === text);

export type ActorKind = "operator" | "customer" | "service";

/** Small facts about an act; never a key, a code, a password or a text, and of a number its last four digits at most. */
export type ActDetails = Record<string, string | number | boolean | null>;

/** An act, as the code that did it reports it. */
export interface ReportedAct {
  action: Action;
  /** The account that it concerns; by default that of the signed-in person, or of the key. */
  accountId?: string;
  /** What was acted on: the id of a key, an order and so on. */
  subject?: string;
  details?: ActDetails;
  /** What makes it the same act when it is reported again: it is recorded once. By default each report is an act. */
  once?: string;
}

/** One recorded act. */
export interface RecordedAct {
  /** Unique. An act that is reported again, such as a repeated request, has the same id. */
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  actorKind: ActorKind;
  /** An operator's e-mail or `token`, a person's id, the id of a key, or the name of the part of the service. */
  actor: string;
  /** The account that it concerns; null for none. */
  accountId: string | null;
  action: Action;
  /** What was acted on: the id of a key, an order, a dead letter and so on. */
  subject: string | null;
  details: ActDetails;
  /** A MAC of the client's address: equal for acts from one address, which itself is stored nowhere. */
  address: string | null;
  requestId: string | null;
  /** The handle of the actor's session. */
  session: string | null;
}

/** A place in the trail: the time and id of an act. */
export interface ActPlace {
  at: number;
  id: string;
}

/** A page of the trail. */
export interface ActPage {
  acts: RecordedAct[];
  /** The `before` or `after` of the next page; null on the last. */
  next: string | null;
}

/** A place as text, for a cursor. */
export const showPlace = ({ at, id }: ActPlace): string => `${at}.${id}`;

/** Reads such a text; null for anything else. */
export function readPlace(text: string): ActPlace | null {
  const [, at = "", id = ""] = /^([0-9]{1,15})\.([\w-]{1,40})$/u.exec(text) ?? [];
  return id === "" ? null : { at: Number(at), id };
}
