// The results of bench:pace as text: a table in Markdown, and the aims.

import { markdownTable } from "../markdown.mjs";

/** With less idle time of the processors the machine itself, or other work on it, takes a part in every figure. */
const IDLE_MIN = 0.2;

const sec = (ms) => (ms === null || ms === undefined ? "–" : (ms / 1_000).toFixed(ms < 9_950 ? 1 : 0));
const ratio = (value) => (value === null ? "–" : value.toFixed(2));
const waits = (of) => (of ? `${sec(of.p50Ms)} / ${sec(of.p95Ms)} / ${sec(of.maxMs)}` : "–");

const COLUMNS = {
  "gateway, load, limit": ({ name }) => name,
  "accepted ÷ limit": ({ steady, whole }) => ratio(steady ?? (Number.isFinite(whole) && whole > 0 ? whole : null)),
  "accepted/s": ({ perSecWhole }) => perSecWhole.toFixed(perSecWhole < 10 ? 1 : 0),
  "useless per message, learning": ({ useless }) => ratio(useless.learning),
  after: ({ useless }) => ratio(useless.after),
  "OTP s": ({ lanes }) => waits(lanes.otp),
  "OTP met busy s": ({ retriedOtps }) => (retriedOtps.count > 0 ? `${waits(retriedOtps)} (${retriedOtps.count})` : "–"),
  "single s": ({ lanes }) => waits(lanes.single),
  "bulk of others s": ({ smallBulks }) => (smallBulks.count > 0 ? waits(smallBulks) : "–"),
  "in silence": ({ silence }) => (silence.count > 0 ? `${silence.late} in ${silence.seconds.toFixed(0)} s` : "–"),
};

/** The table for docs/proof.md. */
export const tableOf = (results) => markdownTable(results, COLUMNS);

/** The aims of one result, each with what was measured. */
function aimsOf({ name, steady, useless, lanes, retriedOtps, silence, twice, perSec }) {
  const isRough = name.includes("rough");
  const aims = [];
  if (Number.isFinite(perSec) && !isRough && steady !== null) {
    aims.push([steady >= 0.85, `accepted ${ratio(steady)} of the limit, aim 0.85`]);
    aims.push([(useless.after ?? 0) <= 0.1, `${ratio(useless.after)} useless submissions per message, aim 0.1`]);
  }
  if (lanes.otp) aims.push([lanes.otp.p95Ms <= 1_000, `OTP p95 ${sec(lanes.otp.p95Ms)} s, aim 1`]);
  if (retriedOtps.count > 0 && !isRough) {
    aims.push([retriedOtps.maxMs <= 5_000, `retried OTP at most ${sec(retriedOtps.maxMs)} s, aim 5`]);
  }
  if (silence.count > 0) aims.push([silence.late === 0, `${silence.late} submissions in silence, aim none`]);
  aims.push([twice === 0, `${twice} messages accepted twice, aim none`]);
  return aims;
}

/** Prints what is missed, and whatever else a reader must know. */
export function printAims(results) {
  for (const result of results) {
    const missed = aimsOf(result).filter(([isMet]) => !isMet);
    console.log(
      `${result.name}: ${missed.length === 0 ? "all aims met" : `MISSED: ${missed.map(([, text]) => text).join("; ")}`}.`,
    );
    const { idle } = result;
    if (idle < IDLE_MIN) console.log(`  the processors were idle for only ${Math.round(idle * 100)} % of the time`);
    const refused = Object.entries(result.refused);
    if (refused.length > 0) console.log(`  requests not answered with 200: ${JSON.stringify(result.refused)}`);
    if (Object.keys(result.receipts.refused).length > 0) {
      console.log(`  receipts not answered with 200: ${JSON.stringify(result.receipts.refused)}`);
    }
    if (result.receipts.lost > 0) console.log(`  receipts given up: ${result.receipts.lost}`);
    for (const [problem, count] of Object.entries(result.problems)) console.log(`  log, ${count} ×: ${problem}`);
  }
}
