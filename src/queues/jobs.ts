import * as z from "zod";
import { LANES } from "../model/lane.ts";

// The bodies of queue messages: row numbers, states and codes; never a text, a phone number or an amount.

const account = z.string().min(1);
const lane = z.enum(LANES);
/** The most jobs in one queue message. */
export const JOBS_PER_MESSAGE_MAX = 100;

/** The most reports in one queue message, which takes 128 KB; one has some 150 bytes, and a code at most 100 more. */
export const NEWS_PER_MESSAGE_MAX = 300;

/** The most where some name the carriers that were tried, up to 20 of them with their codes. */
export const OFFERED_PER_MESSAGE_MAX = 30;

const seqs = z.array(z.number().int().positive()).max(JOBS_PER_MESSAGE_MAX);

const code = z.string().max(100);
// Lazy: made when a report is first read, not at each start of the Worker.
const outcome = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("submitted") }),
    z.object({ kind: z.literal("rejected"), code }),
    z.object({ kind: z.literal("not_accepted"), code, retryAfterMs: z.number().exactOptional() }),
    z.object({ kind: z.literal("not_sent"), code }),
    z.object({ kind: z.literal("released"), afterMs: z.number().exactOptional() }),
    z.object({ kind: z.literal("unknown"), code }),
  ]),
);
const offered = z.lazy(() =>
  z.object({
    tried: z.array(z.object({ carrier: z.string(), at: z.number(), code: code.exactOptional() })),
    follow: z.boolean(),
    resubmits: z.boolean(),
  }),
);
const place = { seq: z.number().int().positive(), index: z.number().int().min(0) };
const news = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      ...place,
      kind: z.literal("outcome"),
      attempt: z.number().int().positive(),
      outcome,
      offered: offered.exactOptional(),
    }),
    z.object({
      ...place,
      kind: z.literal("receipt"),
      state: z.enum(["submitted", "delivered", "undelivered", "failed"]),
      code: code.exactOptional(),
      carrier: z.string().exactOptional(),
    }),
  ]),
);

/**
 * A token: this account has messages to submit in this lane. Which ones, the account says, so tokens may be lost, doubled
 * and late.
 */
const sendJob = z.object({ kind: z.literal("send"), account, lane });
/** Ask the carrier for the state of these jobs' messages. */
const followJob = z.object({ kind: z.literal("follow"), account, lane, seqs });
/** Outcomes and receipts that the account could not take when they were known. */
const reportJob = z.object({
  kind: z.literal("report"),
  account,
  lane,
  news: z.array(news).max(NEWS_PER_MESSAGE_MAX),
  follow: z.boolean(),
  resubmits: z.boolean(),
});

/** Work for the consumers of the lanes. */
const laneJob = z.discriminatedUnion("kind", [sendJob, followJob, reportJob]);
export type LaneJob = z.infer<typeof laneJob>;
export type SendJob = z.infer<typeof sendJob>;
export type FollowJob = z.infer<typeof followJob>;
export type ReportJob = z.infer<typeof reportJob>;

/** A body from before there were lanes: it named the jobs, and the account now knows better which messages wait. */
const oldJob = z.object({ kind: z.enum(["send", "follow"]), account, seqs });

/** What a body asks of the consumers of the lanes; null for anything else. */
export function readLaneJobs(body: unknown): LaneJob[] | null {
  const parsed = laneJob.safeParse(body);
  if (parsed.success) return [parsed.data];
  const { success, data } = oldJob.safeParse(body);
  if (!success) return null;
  if (data.kind === "follow") return [{ ...data, kind: "follow", lane: "bulk" }];
  return LANES.map((one) => ({ kind: "send", account: data.account, lane: one }));
}

/**
 * Work for the history consumer: these jobs of the account (and the account itself) changed; or, `clear`, some left the
 * account for the archive, which ones, the account says.
 */
export const historyJob = z.object({
  account,
  seqs,
  profile: z.boolean().optional(),
  clear: z.boolean().optional(),
});
export type HistoryJob = z.infer<typeof historyJob>;
