// Prometheus' text exposition format 0.0.4: HELP and TYPE before the samples of each metric, which stand together.

/** The media type of the format. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string>>;

/** One sample; `suffix` is of the parts of a histogram. */
interface Sample {
  suffix?: "" | "_bucket" | "_sum" | "_count";
  labels: Labels;
  value: number;
}

/** A metric with its samples. Base units: seconds, bytes, ratios. */
export interface Metric {
  name: string;
  type: "gauge" | "counter" | "histogram";
  help: string;
  samples: readonly Sample[];
}

const escapeHelp = (text: string) => text.replaceAll("\\", String.raw`\\`).replaceAll("\n", String.raw`\n`);
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', String.raw`\"`);

const numberOf = (value: number) => (value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value));

function lineOf(name: string, { suffix = "", labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeValue(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberOf(value)}`;
}

/** The text of these metrics; one without a sample is left out. Ends with a line feed, as the format demands. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...samples.map((one) => lineOf(name, one))]
        .map((line) => `${line}\n`)
        .join(""),
    )
    .join("");
}

/** A histogram's samples: `within` counts what is at most each bound of `bounds`, `count` all, `sum` their values. */
export function histogram(
  labels: Labels,
  { bounds, within, count, sum }: { bounds: readonly number[]; within: readonly number[]; count: number; sum: number },
): Sample[] {
  const buckets = [...bounds, Infinity].map((bound, at): Sample => ({
    suffix: "_bucket",
    labels: { ...labels, le: numberOf(bound) },
    value: within[at] ?? count,
  }));
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
}
