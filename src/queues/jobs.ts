import * as z from "zod";

// The bodies of queue messages: row numbers, never a text, a phone number or an amount.

const account = z.string().min(1);
/** The most jobs in one queue message. */
export const JOBS_PER_MESSAGE_MAX = 100;

const seqs = z.array(z.number().int().positive()).max(JOBS_PER_MESSAGE_MAX);

/** Work for the dispatch consumer: submit these jobs' waiting messages, or ask the carrier for their state. */
export const dispatchJob = z.object({ kind: z.enum(["send", "follow"]), account, seqs });
export type DispatchJob = z.infer<typeof dispatchJob>;

/** Work for the history consumer: these jobs of the account (and the account itself) changed. */
export const historyJob = z.object({ account, seqs, profile: z.boolean().optional() });
export type HistoryJob = z.infer<typeof historyJob>;
