// A strict reader of Prometheus' text format 0.0.4: it throws where the format's description, or promtool's checks of
// names and units, would refuse a line.

export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ReadMetric {
  name: string;
  type: string;
  help: string;
  samples: ReadSample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/u;
const LABEL = /^(?<label>[a-zA-Z_][a-zA-Z0-9_]*)="(?<text>(?:[^"\\\n]|\\["\\n])*)"(?<rest>,?)/u;
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)$/u;
const SUFFIXES: Record<string, readonly string[]> = {
  gauge: [""],
  counter: [""],
  histogram: ["_bucket", "_sum", "_count"],
};
const UNITS_REFUSED = /_(?:ms|milliseconds|minutes|hours|days|kb|mb|percent|coins)(?:_|$)/u;

function refuse(line: string, why: string): never {
  throw new Error(`${why}: ${line}`);
}

function readNumber(text: string, line: string): number {
  if (!NUMBER.test(text)) refuse(line, "no number");
  return Number(text.replace("Inf", "Infinity"));
}

const unescaped = (text: string) =>
  text.replace(/\\(?<sign>["\\n])/gu, (_, sign: string) => (sign === "n" ? "\n" : sign));

function readSample(line: string): ReadSample {
  const [, name = "", braced, value = ""] = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? refuse(line, "no sample");
  if (!NAME.test(name)) refuse(line, "no metric name");
  const labels: Record<string, string> = {};
  let rest = braced ?? "";
  if (braced === "") refuse(line, "empty braces");
  while (rest !== "") {
    const found = LABEL.exec(rest) ?? refuse(line, "no label");
    const { label = "", text = "" } = found.groups ?? {};
    if (Object.hasOwn(labels, label)) refuse(line, "a label twice");
    labels[label] = unescaped(text);
    rest = rest.slice(found[0].length);
    if ((found.groups?.["rest"] ?? "") === "" && rest !== "") refuse(line, "no comma between labels");
  }
  return { name, labels, value: readNumber(value, line) };
}

const textOf = (labels: Record<string, string>) =>
  JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const keyOf = ({ name, labels }: ReadSample) => `${name} ${textOf(labels)}`;

/** The buckets of each label set are cumulative, end with +Inf, and agree with count and sum. */
function checkHistogram({ name, samples }: ReadMetric): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _le, ...labels } }) => textOf(labels));
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => readNumber(labels["le"] ?? "", name));
    const counts = buckets.map(({ value }) => value);
    if (bounds.some((bound, at) => at > 0 && bound <= (bounds[at - 1] ?? 0))) refuse(name, "bounds do not rise");
    if (counts.some((count, at) => at > 0 && count < (counts[at - 1] ?? 0))) refuse(name, "buckets are not cumulative");
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== count) refuse(name, "no bucket +Inf, or not the count");
    if (!group.some((sample) => sample.name === `${name}_sum`)) refuse(name, "no sum");
  }
}

function check(metric: ReadMetric): void {
  const { name, type, samples } = metric;
  if (samples.length === 0) refuse(name, "no sample");
  if ((type === "counter") !== name.endsWith("_total")) refuse(name, "counters end with _total, and nothing else does");
  if (/_(?:count|sum|bucket|info)$/u.test(name) || UNITS_REFUSED.test(name)) refuse(name, "a name promtool refuses");
  const keys = samples.map(keyOf);
  if (new Set(keys).size < keys.length) refuse(name, "a sample twice");
  for (const { value } of samples) if (type !== "gauge" && !(value >= 0)) refuse(name, "a count below zero");
  if (type === "histogram") checkHistogram(metric);
}

/** The metrics in a text; throws where it is not valid. */
export function readExposition(text: string): ReadMetric[] {
  if (!/^[^\r]*\n$/u.test(text)) throw new Error("the text must end with a line feed, and have no CR");
  const metrics: ReadMetric[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name = "", said = ""] = /^# (HELP|TYPE) (\S+) (.+)$/u.exec(line) ?? [];
    const current = metrics.at(-1);
    if (word === "HELP") {
      if (!NAME.test(name) || metrics.some((metric) => metric.name === name)) refuse(line, "HELP twice, or of no name");
      if (!/^(?:[^\\]|\\[\\n])*$/u.test(said)) refuse(line, "an escape that HELP does not have");
      metrics.push({ name, type: "", help: said, samples: [] });
    } else if (word === "TYPE") {
      const isDue = current?.name === name && current.type === "" && Object.hasOwn(SUFFIXES, said);
      if (!current || !isDue) refuse(line, "TYPE out of place");
      current.type = said;
    } else {
      const sample = readSample(line);
      const own = SUFFIXES[current?.type ?? ""]?.some((suffix) => sample.name === `${current?.name}${suffix}`);
      if (!current || own !== true) refuse(line, "a sample outside its metric");
      current.samples.push(sample);
    }
  }
  metrics.forEach(check);
  return metrics;
}
