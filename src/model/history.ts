import type { AccountView } from "./account.ts";
import type { Lane } from "./lane.ts";
import type { MessageView } from "./message.ts";

// What an account gives to history, in groups: history holds one row for each.

/** Job numbers that share one group of single messages. */
export const BUCKET_JOBS = 64;

/** The first job number of the bucket that contains a job. */
export const bucketOf = (seq: number): number => seq - (seq % BUCKET_JOBS);

/** Messages of a test account that history keeps, the newest ones; test mode is free, and would fill it. */
export const TEST_MESSAGES_MAX = 3_000;

/** A job at a revision, which rises with each of its changes. */
export interface JobRevision {
  seq: number;
  rev: number;
}

/** All that one row of history holds: every single message of a bucket, or one job of several messages. */
export interface JobGroup {
  kind: "singles" | "bulk";
  /** The bucket's first job number, or the job's own. */
  seq: number;
  jobs: JobRevision[];
  messages: MessageView[];
}

/** The oldest message of a lane that has waited long for its carrier. */
export interface LongWait {
  lane: Lane;
  /** The carrier that did not take it yet; empty where none was asked. */
  carrier: string;
  /** When it was created, in ms since the epoch. */
  oldestAt: number;
}

/** What the account answers to history's consumer. */
export interface Records {
  groups: JobGroup[];
  profile: AccountView | null;
  /** The number of the database in which the groups belong; absent from an object of the version before. */
  historyDb?: number;
  /** Groups with lower numbers are not kept there: they have no messages here, and their rows are deleted. */
  keptFrom?: number;
  /** What has waited long, by lane; absent in the answers of older versions. */
  waits?: LongWait[];
}

/** What history has recorded: these jobs and, unless it is null, the profile at this revision. */
export interface Recorded {
  /** The number of the database that has the jobs; a consumer of the version before wrote them elsewhere. */
  historyDb?: number;
  jobs: JobRevision[];
  profileRev: number | null;
}
