// The counted operations of bench:cost.
import { phoneOf } from "../../harness/accounts.mjs";
import { tokenBucket } from "../../harness/rate-limits.ts";
import { HOSTS } from "../../harness/service.mjs";

const TEXT =
  "Your order 4711 is on its way and will be with you today between four and six. Thank you for shopping with us!";

/** Requests per minute that the largest plan admits; a busy account sends at this rate. */
const BUSY_PER_MINUTE = 200;

/** An account on the smallest plan that has used up its limit for the minute. */
const EXHAUSTED = { plan: "starter", admitted: 10 };

export const sms = (at) => ({ host: HOSTS.sms, path: "/send-sms", body: { phone: phoneOf(at), message: TEXT } });
const otp = (at) => ({ host: HOSTS.otp, path: "/send-otp", body: { phone: phoneOf(at), otp: "048213" } });
const balance = () => ({ host: HOSTS.sms, path: "/account-balance" });

const bulk = (recipients) => () => ({
  host: HOSTS.sms,
  path: "/send-bulk-sms",
  body: { recipients: Array.from({ length: recipients }, (_, at) => phoneOf(at)), message: TEXT },
});

/** Receipts of a network: nine of ten within ten seconds, some after up to a minute. */
const SOON_MS = { first: 1_000, mean: 4_000, last: 60_000 };
const soon = (random) => Math.min(SOON_MS.last, SOON_MS.first - Math.log(1 - random()) * SOON_MS.mean);

/** Receipts at any time within a minute. */
const SPREAD_MS = 60_000;
const spread = (random) => random() * SPREAD_MS;

/**
 * How much faster the clock of a service runs whose accounts mostly wait: the ten minutes that an account's changes may
 * share one alarm (20 × SWEEP_MS) take one.
 */
const FAST = 10;

/** Half a minute from one message of an account to the next, so that 20 fall into one shared alarm. */
const GAP_SEC = 30;
const REPEATING = { accounts: 15, requests: 300, perMinute: (15 * 60) / GAP_SEC };

/** A bulk of 10,000 has ten times as many receipts in its minute: its clock is slower, so that the machine keeps up. */
const FASTER = 5;

/**
 * Busy accounts are measured on the real clock, and their shared alarm comes after 20 of these: once all receipts are
 * there, as it does in a deployment.
 */
const BUSY_SWEEP_MS = 6_000;

const LIMITED_PER_SEC = 20;

/**
 * `requests` are spread over `accounts`, each made by `ask` from its number, `perMinute` of them by the service's clock
 * (all at once where absent), which is `speed` times as fast as the real one. Each request leads to `messages`
 * deliveries, whose receipts come after `receiptAfterMs`. Results are per message, or per request if there are no
 * messages. `alone`: consumers get messages one by one, since nothing comes together.
 */
export const OPERATIONS = {
  "SMS, alone": { ...REPEATING, ask: sms, messages: 1, alone: true, speed: FAST, receiptAfterMs: soon },
  "SMS, alone, receipts over a minute": {
    ...REPEATING,
    ask: sms,
    messages: 1,
    alone: true,
    speed: FAST,
    receiptAfterMs: spread,
  },
  "SMS, alone, the only one in ten minutes": {
    accounts: 60,
    requests: 60,
    perMinute: 60,
    ask: sms,
    messages: 1,
    alone: true,
    speed: FAST,
    receiptAfterMs: soon,
  },
  "SMS, 10 busy accounts": {
    accounts: 10,
    requests: 1_000,
    ask: sms,
    messages: 1,
    perMinute: 10 * BUSY_PER_MINUTE,
    sweepMs: BUSY_SWEEP_MS,
    receiptAfterMs: soon,
  },
  "SMS by the simulator, alone": { ...REPEATING, ask: sms, messages: 1, alone: true, speed: FAST, carrier: "sim" },
  "OTP, alone": { ...REPEATING, ask: otp, messages: 1, alone: true, speed: FAST, receiptAfterMs: soon },
  "bulk of 1,000, a recipient": {
    accounts: 1,
    requests: 1,
    ask: bulk(1_000),
    messages: 1_000,
    speed: FAST,
    receiptAfterMs: spread,
  },
  "bulk of 10,000, a recipient": {
    accounts: 1,
    requests: 1,
    ask: bulk(10_000),
    messages: 10_000,
    speed: FASTER,
    receiptAfterMs: spread,
  },
  "bulk of 1,000 at 20/s, a recipient": {
    accounts: 1,
    requests: 1,
    ask: bulk(1_000),
    messages: 1_000,
    speed: FAST,
    receiptAfterMs: spread,
    limit: () => tokenBucket(LIMITED_PER_SEC * FAST, (LIMITED_PER_SEC * FAST) / 4),
  },
  "account-balance": { accounts: 100, requests: 1_000, ask: balance, messages: 0 },
  "forged key, 401": { accounts: 1, requests: 1_000, ask: sms, messages: 0, status: 401, forged: true },
  "over the limit, 429": { accounts: 1, requests: 1_000, ask: balance, messages: 0, status: 429, ...EXHAUSTED },
};

/** What a reader must know about the operations. */
export const NOTES = [
  `Alone: each account sends again and again, ${GAP_SEC} s apart, so that 20 messages share one alarm; the service's clock runs ${FAST} times as fast as the real one, and timers, alarms, gaps, answers and receipts with it.`,
  `Bulk: a clock ${FAST} times as fast, and ${FASTER} times for 10,000. Busy: the real clock, and the shared alarm after ${(20 * BUSY_SWEEP_MS) / 1_000} s instead of ten minutes, when all receipts are there.`,
  `The gateway answers after 20 to 150 ms. Receipts come one by one and in random order: those of single messages after ${SOON_MS.first / 1_000} s and an exponential time of mean ${SOON_MS.mean / 1_000} s, those of bulks evenly over ${SPREAD_MS / 1_000} s.`,
];

/** The clock of a service (around.mjs), for the gateway, which dates its receipts by it. */
export const serviceClock =
  ({ speed, baseMs }) =>
  () =>
    speed === 1 ? Date.now() : Math.floor(baseMs + (Date.now() - baseMs) * speed);
