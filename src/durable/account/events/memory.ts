import type { MessageEvent } from "../../../model/event.ts";

// What an object knows of its feed in memory. The store loads it before the first transaction (recover.ts), and changes it
// only after one.

/** An object's feed in memory. */
export interface FeedMemory {
  /** Whether the account has asked for its events: before that there are none. */
  readonly isOn: boolean;
  /** The number of the newest event. */
  last: number;
  /** Changes that are stored with their jobs and in no page yet, in their order. */
  tail: MessageEvent[];
  /** Jobs of which the tail has changes that a release without events stored. */
  unseen: Set<number>;
  /** Whether all such changes were found. */
  isCaughtUp: boolean;
}

const OFF: FeedMemory = { isOn: false, last: 0, tail: [], unseen: new Set(), isCaughtUp: true };

const feeds = new WeakMap<SqlStorage, FeedMemory>();

/** The feed of the object with this storage; off where it is not loaded. */
export const feedOf = (sql: SqlStorage): FeedMemory => feeds.get(sql) ?? OFF;

/** Whether the feed is loaded. */
export const isLoaded = (sql: SqlStorage): boolean => feeds.has(sql);

/** Keeps what was loaded. */
export const keepFeed = (sql: SqlStorage, feed: FeedMemory | null): void => void feeds.set(sql, feed ?? OFF);

/** Forgets what is in memory, because storage may differ from it. */
export const forgetFeed = (sql: SqlStorage): void => void feeds.delete(sql);
