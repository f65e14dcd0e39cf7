import * as z from "zod";
import { LANES } from "../model/lane.ts";

// The bodies of queue messages: row numbers, never a text, a phone number or an amount.

const account = z.string().min(1);
/** The most jobs in one queue message. */
export const JOBS_PER_MESSAGE_MAX = 100;

const seqs = z.array(z.number().int().positive()).max(JOBS_PER_MESSAGE_MAX);

/**
 * Work for the dispatch consumer: a token, which says that messages of the account wait in this lane; or jobs of which
 * the carrier is asked for the state.
 */
export const dispatchJob = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("send"), account, lane: z.enum(LANES) }),
  z.object({ kind: z.literal("follow"), account, seqs }),
]);
export type DispatchJob = z.infer<typeof dispatchJob>;

/** Work for the history consumer: these jobs of the account (and the account itself) changed. */
export const historyJob = z.object({ account, seqs, profile: z.boolean().optional() });
export type HistoryJob = z.infer<typeof historyJob>;
