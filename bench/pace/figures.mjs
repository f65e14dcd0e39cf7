// From the gateway's record and the load to figures.

/** The quantile of the values at `share`; null without values. */
function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

const waitsOf = (values) => ({
  count: values.length,
  p50Ms: quantile(values, 0.5),
  p95Ms: quantile(values, 0.95),
  maxMs: quantile(values, 1),
});

/** Submissions accepted and refused from one second to another. */
function countBetween(record, fromMs, toMs) {
  let [accepted, refused] = [0, 0];
  for (const [second, counted] of record.seconds) {
    if (second * 1_000 < fromMs || second * 1_000 >= toMs) continue;
    accepted += counted.accepted;
    refused += counted.refused;
  }
  return { accepted, refused };
}

const perMessage = ({ accepted, refused }) => (accepted === 0 ? null : refused / accepted);

/**
 * Accepted per second over the limit while there was work, from the end of learning on; null if that is shorter than
 * three seconds.
 */
function steadyOf(record, perSec, fromMs, toMs) {
  const from = Math.ceil(fromMs / 1_000) * 1_000;
  const to = Math.floor(toMs / 1_000) * 1_000;
  const seconds = (to - from) / 1_000;
  if (seconds < 3) return null;
  return countBetween(record, from, to).accepted / seconds / perSec;
}

/** How long each message waited for the carrier, by lane; one that still waits counts up to the end, and as `left`. */
function waitsByLane(load, byNumber, endMs) {
  const lanes = {};
  for (const [to, { lane, requestedMs }] of load.asked) {
    const seen = byNumber.get(to);
    lanes[lane] ??= { waits: [], left: 0 };
    lanes[lane].waits.push((seen?.acceptedMs ?? endMs) - requestedMs);
    if (!seen?.acceptedMs) lanes[lane].left += 1;
  }
  return Object.fromEntries(
    Object.entries(lanes).map(([lane, { waits, left }]) => [lane, { ...waitsOf(waits), left }]),
  );
}

/** How long OTPs waited that met at least one busy answer. */
function retriedOtps(load, byNumber, endMs) {
  const waits = [];
  for (const [to, { lane, requestedMs }] of load.asked) {
    const seen = byNumber.get(to);
    if (lane === "otp" && seen && seen.refused > 0) waits.push((seen.acceptedMs ?? endMs) - requestedMs);
  }
  return waitsOf(waits);
}

/** How long small bulks took until the last of their recipients was accepted. */
function smallBulks(load, byNumber, endMs) {
  const ends = new Map();
  for (const [to, { group }] of load.asked) {
    if (!group?.startsWith("small")) continue;
    ends.set(group, Math.max(ends.get(group) ?? 0, byNumber.get(to)?.acceptedMs ?? endMs));
  }
  return waitsOf([...ends].map(([group, ms]) => ms - load.groups.get(group).requestedMs));
}

/** The figures of one scenario, which ran from `startMs` to `endMs`. */
export function figuresOf({ name, how, perSec, isSet, learnSec }, { record, receipts, load, startMs, endMs }) {
  const byNumber = new Map([...record.refs.values()].map((seen) => [seen.to, seen]));
  const accepted = [...record.refs.values()].filter(({ acceptedMs }) => acceptedMs !== null);
  const isDone = accepted.length >= load.asked.size;
  const lastMs = accepted.reduce((last, { acceptedMs }) => Math.max(last, acceptedMs), startMs);
  const busyUntilMs = isDone ? lastMs : endMs;
  const learnedMs = startMs + learnSec * 1_000;
  return {
    name,
    how,
    perSec,
    isSet,
    seconds: (endMs - startMs) / 1_000,
    messages: load.asked.size,
    accepted: accepted.length,
    /** Accepted over what the limit allowed: while there was work, and after learning. */
    whole: accepted.length / ((busyUntilMs - startMs) / 1_000) / perSec,
    steady: Number.isFinite(perSec) ? steadyOf(record, perSec, learnedMs, busyUntilMs) : null,
    perSecWhole: accepted.length / ((busyUntilMs - startMs) / 1_000),
    useless: {
      learning: perMessage(countBetween(record, 0, learnedMs)),
      after: perMessage(countBetween(record, learnedMs, Infinity)),
    },
    twice: [...record.refs.values()].filter((seen) => seen.accepted > 1).length,
    lanes: waitsByLane(load, byNumber, endMs),
    retriedOtps: retriedOtps(load, byNumber, endMs),
    smallBulks: smallBulks(load, byNumber, endMs),
    silence: {
      count: record.silences.length,
      seconds: record.silences.reduce((sum, { fromMs, untilMs }) => sum + (untilMs - fromMs) / 1_000, 0),
      submissions: record.inSilence,
      late: record.inSilenceLate,
    },
    receipts: { sent: receipts.sent, refused: Object.fromEntries(receipts.refused), lost: receipts.lost },
    refused: load.refused,
    perSecond: [...record.seconds].map(([second, one]) => [
      second - Math.floor(startMs / 1_000),
      one.accepted,
      one.refused,
    ]),
  };
}
