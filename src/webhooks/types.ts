import { EVENT_OF_STATE } from "../model/event.ts";
import type { EventType, NoteType } from "../model/event.ts";

// The types of events that an endpoint asks for: all of them, groups such as message.*, or single ones.

const NOTES = {
  "balance.low": true,
  "credit.added": true,
  "key.created": true,
  "key.revoked": true,
  "webhook.disabled": true,
} as const satisfies Record<NoteType, true>;

/** Every type of event. */
export const EVENT_TYPES: readonly EventType[] = [
  ...Object.values(EVENT_OF_STATE).filter((type) => type !== null),
  ...(Object.keys(NOTES) as NoteType[]),
];

/** The most entries of `types`. */
export const TYPES_MAX = 20;

const groupOf = (type: string): string => `${type.split(".")[0] ?? ""}.*`;

/** What `types` may have: `*`, each group, each type. */
export const TYPE_FILTERS: readonly string[] = ["*", ...new Set(EVENT_TYPES.map(groupOf)), ...EVENT_TYPES];

/** Whether an endpoint with these `types` gets events of a type. */
export const isWanted = (types: readonly string[], type: string): boolean =>
  types.includes("*") || types.includes(type) || types.includes(groupOf(type));
