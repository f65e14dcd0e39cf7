// What a measured curve shows, in a sentence: whether it stays, grows with the logarithm, or grows in proportion.

/** Below this a curve is taken to be constant, as where the rounds of one size lie as far apart. */
const CONSTANT_RATIO = 1.5;

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
const short = (value) => String(Number(value.toPrecision(3)));
const ratioOf = (list) => Math.max(...list) / Math.min(...list);

/** The middle of the rounds. */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The least squares of `values = a + b · steps`, and how far they lie from it. */
function fit(steps, values) {
  const [middle, height] = [mean(steps), mean(values)];
  const spread = steps.reduce((sum, step) => sum + (step - middle) ** 2, 0);
  const slope = steps.reduce((sum, step, at) => sum + (step - middle) * (values[at] - height), 0) / spread;
  const off = values.map((value, at) => value - (height + slope * (steps[at] - middle)));
  return { slope, error: off.reduce((sum, one) => sum + one ** 2, 0) };
}

/** How a value grows over `sizes`; `rounds` has what each size gave in each round, and `unit` is what it counts. */
export function shapeOf(sizes, rounds, unit) {
  // Each size against the smallest of its own round: what else the machine does then weighs on both.
  const [base] = rounds;
  const values = rounds.map((list) => median(list.map((value, round) => value / base[round])) * median(base));
  const ratio = values.at(-1) / values[0];
  const change = `${short(values[0])} → ${short(values.at(-1))} ${unit} (× ${ratio.toFixed(2)})`;
  const noise = Math.max(...rounds.map(ratioOf));
  if (ratioOf(values) < CONSTANT_RATIO) return `constant: ${change}`;
  if (ratioOf(values) < noise) return `constant within the noise, × ${noise.toFixed(1)} between rounds: ${change}`;
  if (ratio < 1) return `falls: ${change}`;
  const linear = fit(sizes, values);
  const logarithmic = fit(
    sizes.map((size) => Math.log10(Math.max(1, size))),
    values,
  );
  if (logarithmic.error <= linear.error) {
    return `grows with the logarithm, by ${short(logarithmic.slope)} ${unit} each time that the size is ten times as large: ${change}`;
  }
  return `grows in proportion, by ${short(linear.slope * 1_000)} ${unit} per thousand: ${change}`;
}

/**
 * Measures each size in turn, forwards and backwards, so that what else the machine does meets all of them alike.
 * Returns the rounds of every field by size, and the medians.
 */
export async function takeTurns(sizes, rounds, measure) {
  const results = sizes.map(() => []);
  const turns = sizes.map((size, at) => ({ size, at }));
  for (let round = 0; round < rounds; round++) {
    for (const { size, at } of round % 2 === 0 ? turns : turns.toReversed()) results[at].push(await measure(size, at));
  }
  const roundsOf = (field) => results.map((list) => list.map((result) => result[field]));
  return { sizes, roundsOf, of: (field) => roundsOf(field).map(median) };
}
