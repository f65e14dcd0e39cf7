// The gateways and loads of bench:pace.
import { fixedWindow, slidingWindow, tokenBucket } from "../../harness/rate-limits.ts";

/** Gateways by submissions per second: how each counts them, and whether its 429 says `Retry-After`. */
const GATEWAYS = {
  5: { how: "fixed window", limit: () => fixedWindow(5), saysRetryAfter: false },
  20: { how: "sliding window, Retry-After", limit: () => slidingWindow(20), saysRetryAfter: true },
  200: { how: "token bucket", limit: () => tokenBucket(200, 50), saysRetryAfter: false },
  2000: { how: "fixed window", limit: () => fixedWindow(2_000), saysRetryAfter: false },
};

/** How long a scenario runs unless all its messages were accepted before, and how long the service may learn. */
const TIMES = {
  5: { seconds: 80, learnSec: 20 },
  20: { seconds: 80, learnSec: 20 },
  200: { seconds: 55, learnSec: 10 },
  2000: { seconds: 40, learnSec: 10 },
};

/** With a limit that is set there is nothing to learn; the first seconds only fill the pipes. */
const SET_LEARN_SEC = 3;

/** Answers take 20 to 150 ms, so a rate needs this many submissions at once for each one per second. */
const AT_ONCE_PER_SEC = 0.2;

/** The connections of a deployed consumer: a slow gateway is served by one, a fast one by several. */
const CONSUMER_CONNECTIONS = 6;

function scenario(perSec, load, isSet) {
  const { how, ...gateway } = GATEWAYS[perSec];
  const { seconds, learnSec } = TIMES[perSec];
  return {
    name: `${perSec}/s, ${load}, ${isSet ? "set" : "learned"}`,
    perSec,
    load,
    how,
    gateway,
    isSet,
    seconds,
    learnSec: isSet ? SET_LEARN_SEC : learnSec,
    concurrency: Math.max(CONSUMER_CONNECTIONS, Math.ceil(perSec * AT_ONCE_PER_SEC)),
  };
}

/**
 * A gateway that says `Retry-After`, is away in the middle, and is busy once for an OTP every few seconds, for reasons
 * that have nothing to do with its rate.
 */
const rough = (isSet) => ({
  ...scenario(200, "mixed", isSet),
  name: `200/s, rough, ${isSet ? "set" : "learned"}`,
  load: "rough",
  how: "fixed window, Retry-After, 5 s away, busy for single OTPs",
  gateway: { limit: () => fixedWindow(200), saysRetryAfter: true },
  seconds: 45,
  away: { afterSec: 20, forSec: 5 },
  busyEverySec: 3,
});

/** A gateway without a limit: what this machine can submit at all. */
const free = {
  ...scenario(2_000, "bulk", false),
  name: "no limit, bulk",
  perSec: Infinity,
  how: "no limit",
  gateway: {},
  learnSec: 0,
};

const both = (perSec, load) => [scenario(perSec, load, false), scenario(perSec, load, true)];

/** Groups of scenarios; those of a group run at once, because slow gateways leave the machine idle. */
export const GROUPS = [
  [...both(5, "bulk"), ...both(5, "mixed"), ...both(20, "bulk"), ...both(20, "mixed")],
  both(200, "bulk"),
  both(200, "mixed"),
  [rough(false), rough(true)],
  [scenario(2_000, "bulk", false)],
  [scenario(2_000, "bulk", true)],
  [scenario(2_000, "mixed", false)],
  [scenario(2_000, "mixed", true)],
  [free],
];
