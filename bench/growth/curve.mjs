// Describes a measured curve in a sentence: constant, logarithmic or linear growth.

/** Below this ratio a curve counts as constant, because the rounds of a single size differ as much. */
const CONSTANT_RATIO = 1.5;

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
const short = (value) => String(Number(value.toPrecision(3)));
const ratioOf = (list) => Math.max(...list) / Math.min(...list);

/** The median of the rounds. */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Least-squares fit of `values = a + b · steps`: its slope, and the sum of its squared errors. */
function fit(steps, values) {
  const [middle, height] = [mean(steps), mean(values)];
  const spread = steps.reduce((sum, step) => sum + (step - middle) ** 2, 0);
  const slope = steps.reduce((sum, step, at) => sum + (step - middle) * (values[at] - height), 0) / spread;
  const off = values.map((value, at) => value - (height + slope * (steps[at] - middle)));
  return { slope, error: off.reduce((sum, one) => sum + one ** 2, 0) };
}

/** How a value grows over `sizes`; `rounds` holds each size's values by round, in `unit`. */
export function shapeOf(sizes, rounds, unit) {
  // Each size relative to the smallest of the same round, so that other load on the machine affects both.
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
    return `grows logarithmically, by ${short(logarithmic.slope)} ${unit} for each tenfold size: ${change}`;
  }
  return `grows linearly, by ${short(linear.slope * 1_000)} ${unit} per thousand: ${change}`;
}

/**
 * Measures the sizes in turn, forwards and backwards, so that other load on the machine affects all of them alike.
 * Returns the rounds of every field by size, and their medians.
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
