// What a measured curve shows, in a sentence: whether it stays, grows with the logarithm, or grows in proportion.

/** Below this a curve is taken to be constant: single numbers move by as much between two runs. */
const CONSTANT_RATIO = 1.5;

/** The least squares of `values = a + b · steps`, and how far they lie from it. */
function fit(steps, values) {
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const [middle, height] = [mean(steps), mean(values)];
  const spread = steps.reduce((sum, step) => sum + (step - middle) ** 2, 0);
  const slope = steps.reduce((sum, step, at) => sum + (step - middle) * (values[at] - height), 0) / spread;
  const off = values.map((value, at) => value - (height + slope * (steps[at] - middle)));
  return { slope, error: off.reduce((sum, one) => sum + one ** 2, 0) };
}

/** How `values` grow over `sizes`, both from the smallest on; `unit` is what a value counts. */
export function shapeOf(sizes, values, unit) {
  const ratio = values.at(-1) / values[0];
  const range = Math.max(...values) / Math.min(...values);
  const change = `${values[0].toPrecision(3)} → ${values.at(-1).toPrecision(3)} ${unit} (× ${ratio.toFixed(2)})`;
  if (range < CONSTANT_RATIO) return `constant: ${change}`;
  if (ratio < 1) return `falls: ${change}`;
  const linear = fit(sizes, values);
  const logarithmic = fit(
    sizes.map((size) => Math.log10(Math.max(1, size))),
    values,
  );
  if (logarithmic.error <= linear.error) {
    return `grows with the logarithm, by ${logarithmic.slope.toPrecision(2)} ${unit} each time that the size is ten times as large: ${change}`;
  }
  return `grows in proportion, by ${(linear.slope * 1_000).toPrecision(2)} ${unit} per thousand: ${change}`;
}

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}
