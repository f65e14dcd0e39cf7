import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exposition, histogram } from "../../src/operator/exposition.ts";
import { readExposition } from "../world/exposition.ts";

// The text format, against a strict reader; and the reader, against texts that are wrong.

it("says any label value and help text so that a strict reader gets the same", () => {
  const label = fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "{", "}", ",", "=", " ", "n", "हि", "+Inf") });
  fc.assert(
    fc.property(label, fc.double(), (text, value) => {
      const help = `what ${text.trim()} is`;
      const [metric] = readExposition(
        exposition([{ name: "dastak_x", type: "gauge", help, samples: [{ labels: { a: text, b: "" }, value }] }]),
      );
      expect(metric?.samples).toEqual([
        { name: "dastak_x", labels: { a: text, b: "" }, value: Object.is(value, -0) ? 0 : value },
      ]);
      expect(metric?.help.replaceAll(/\\(?<sign>[\\n])/gu, (_, sign: string) => (sign === "n" ? "\n" : sign))).toBe(
        help,
      );
    }),
  );
});

it("makes a histogram of cumulative buckets that ends with +Inf", () => {
  const samples = histogram({ carrier: "http" }, { bounds: [5, 15], within: [1, 3], count: 4, sum: 61.5 });
  const [metric] = readExposition(exposition([{ name: "dastak_t_seconds", type: "histogram", help: "t", samples }]));
  expect(metric?.samples.map(({ name, labels, value }) => `${name} ${labels["le"]} ${value}`)).toEqual([
    "dastak_t_seconds_bucket 5 1",
    "dastak_t_seconds_bucket 15 3",
    "dastak_t_seconds_bucket +Inf 4",
    "dastak_t_seconds_sum undefined 61.5",
    "dastak_t_seconds_count undefined 4",
  ]);
});

it("leaves out a metric without samples", () => {
  expect(exposition([{ name: "dastak_x", type: "gauge", help: "x", samples: [] }])).toBe("");
});

const HEAD = "# HELP a b\n# TYPE a gauge\n";
const BUCKETS = "# HELP h_s b\n# TYPE h_s histogram\n";

it.each([
  `${HEAD}a 1`,
  `${HEAD}a 1\r\n`,
  `${HEAD}a{} 1\n`,
  `${HEAD}a{x="1" y="2"} 1\n`,
  `${HEAD}a{x="1",x="2"} 1\n`,
  `${HEAD}a{x="\\t"} 1\n`,
  `${HEAD}a{0x="1"} 1\n`,
  `${HEAD}a one\n`,
  `${HEAD}a 0x10\n`,
  `${HEAD}a 1\na 2\n`,
  `${HEAD}b 1\n`,
  HEAD,
  "a 1\n",
  "# TYPE a gauge\na 1\n",
  "# HELP a b\n# TYPE a counter\na 1\n",
  "# HELP a_total b\n# TYPE a_total gauge\na_total 1\n",
  "# HELP a_ms b\n# TYPE a_ms gauge\na_ms 1\n",
  "# HELP a_total b\n# TYPE a_total counter\na_total -1\n",
  `${BUCKETS}h_s_bucket{le="1"} 2\nh_s_bucket{le="+Inf"} 1\nh_s_sum 1\nh_s_count 1\n`,
  `${BUCKETS}h_s_bucket{le="1"} 1\nh_s_sum 1\nh_s_count 1\n`,
  `${BUCKETS}h_s_bucket{le="+Inf"} 1\nh_s_sum 1\nh_s_count 2\n`,
])("is not valid: %j", (text) => {
  expect(() => readExposition(text)).toThrow();
});
