// Alerts: states and events of the service that its operator has to know of. Each kind has a section in docs/runbook.md.

/** Facts of an alert: counts, names of queues and carriers; never a key, a code, a text or a person's number. */
export type AlertValues = Readonly<Record<string, string | number | boolean | null>>;

interface AlertKindInfo {
  /** What the log line says in `what`. */
  what: string;
  /** What it means and what to do first, in one sentence; docs/runbook.md has the rest. */
  meaning: string;
  /** Ends by itself so long after it was raised last; null where its cause is looked at again and says when it is over. */
  quietMs: number | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Every kind of alert. */
export const ALERT_KINDS = {
  archive_failed: {
    what: "archive failed",
    meaning:
      "An account's old entries could not be archived; nothing was deleted: look at the bucket and its log lines.",
    quietMs: DAY_MS,
  },
  alarm_healed: {
    what: "alarm healed",
    meaning:
      "Accounts had open work and no alarm, and were given one; if it goes on, look for errors of their objects.",
    quietMs: HOUR_MS,
  },
  carrier_account: {
    what: "carrier refuses the deployment's account",
    meaning:
      "A carrier does not accept the credentials, or has no credit left; messages go to others: set it right there.",
    quietMs: DAY_MS,
  },
  carrier_delivery: {
    what: "delivery rate of a carrier",
    meaning: "Fewer messages are delivered than usual; ask the carrier, or change to another one.",
    quietMs: null,
  },
  carrier_silent: {
    what: "carrier takes nothing",
    meaning:
      "The carrier refuses or asks for silence for minutes; messages wait, and are refunded when their validity ends.",
    quietMs: null,
  },
  cron_late: {
    what: "cron late",
    meaning: "The periodic work did not run for a while; look at the Worker's cron triggers and its errors.",
    quietMs: HOUR_MS,
  },
  database_fill: {
    what: "database fills up",
    meaning: "A database is nearly full; bind another one, or keep less.",
    quietMs: null,
  },
  dead_letters: {
    what: "dead letters",
    meaning: "Messages of a queue failed at every attempt; look for the cause, then queue them again from the desk.",
    quietMs: null,
  },
  history_unbound: {
    what: "database of history not bound",
    meaning:
      "Accounts have their history in a database whose binding was removed; it waits in them: bind the database again.",
    quietMs: 3 * HOUR_MS,
  },
  payment_dispute: {
    what: "payment disputed",
    meaning: "A customer's bank disputes a payment; answer it at the payment provider before its deadline.",
    quietMs: null,
  },
  payment_event_stuck: {
    what: "payment event stuck",
    meaning: "An event of the payment provider was put aside or could not be applied; resolve it on the desk.",
    quietMs: null,
  },
  queue_age: {
    what: "queue age",
    meaning:
      "Messages wait too long in a queue, or for their carrier; look at the carrier, the consumers and their errors.",
    quietMs: null,
  },
  reconcile_difference: {
    what: "reconcile difference",
    meaning: "An account's balance is not the sum of its ledger; stop changing its money and look at its entries.",
    quietMs: null,
  },
  sign_in_address: {
    what: "requests arrive without CF-Connecting-IP; sign-in cannot limit by address",
    meaning: "The zone removes the visitor's address from requests; switch that off, or sign-in is limited less well.",
    quietMs: 3 * HOUR_MS,
  },
  sign_in_codes: {
    what: "sign-in codes",
    meaning: "A ceiling of sign-in codes is near or reached; find out if it is an attack before you raise it.",
    quietMs: 3 * HOUR_MS,
  },
} as const satisfies Record<string, AlertKindInfo>;

export type AlertKind = keyof typeof ALERT_KINDS;

export const isAlertKind = (text: string): text is AlertKind => Object.hasOwn(ALERT_KINDS, text);

/** What a notice of an alert says. */
export type AlertNews = "begin" | "reminder" | "end";

/** An alert as it stands, or stood. */
export interface Alert {
  kind: AlertKind;
  /** What it is about, such as a queue; empty where the kind says it all. */
  subject: string;
  firstAt: number;
  /** When it was raised last, and how often in all. */
  lastAt: number;
  count: number;
  values: AlertValues;
  endedAt: number | null;
}
