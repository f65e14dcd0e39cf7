import * as z from "zod";
import { KeptSetting } from "../kept/setting.ts";
import type { SettingBindings, SettingWaits } from "../kept/setting.ts";
import { logProblem } from "../log.ts";
import type { ReportedAct } from "../model/audit.ts";
import { PREFIX, RULE_ENTRIES_MAX } from "../model/rules/rules.ts";

// The numbers that no account of the deployment reaches, unless its own rules except them: the operator's setting, kept as
// the rate card is. By default these are premium-rate numbers, as libphonenumber knows them for each country (its type
// PREMIUM_RATE): their owner earns from each call and message, which is what traffic is pumped for. Calling codes that
// belong to no country (ITU-T E.164: +870, +878, +881 to +883 and +979) need no entry: they have no price until the rate
// card gives them one (src/money/pricing.ts). What else is known for pumping changes from month to month, so it is the
// operator's to enter, with a note of where it is known from.

const WRONG = "A prefix is + and 1 to 15 digits.";
const MANY = `At most ${RULE_ENTRIES_MAX} entries.`;

const refusedPrefix = z.strictObject({
  prefix: z
    .string(WRONG)
    .regex(PREFIX, WRONG)
    .meta({ examples: ["+8821"] }),
  /** Why, and where that is known from: for the operator. */
  note: z.string().max(200, "A note has at most 200 characters.").default(""),
});

/** The deployment's rules on numbers. */
export const numberRulesSchema = z.strictObject({
  /** Whether premium-rate numbers are refused. */
  premium_rate: z.enum(["refuse", "allow"], "premium_rate must be refuse or allow.").default("refuse"),
  prefixes: z.array(refusedPrefix, "prefixes must be a list.").max(RULE_ENTRIES_MAX, MANY).default([]),
});

export type NumberRules = z.infer<typeof numberRulesSchema>;

/** The rules of a deployment whose operator has set none. */
export const DEFAULT_NUMBER_RULES: NumberRules = numberRulesSchema.parse({});

/** Rules as they are stored, maybe by a newer version: fields that this one does not know are left out. */
const storedRules = z.object({
  ...numberRulesSchema.shape,
  prefixes: z.array(z.object(refusedPrefix.shape)).default([]),
});

const numberRules = new KeptSetting<NumberRules>({
  key: "settings/number-rules.json",
  cache: "number-rules",
  copyPath: "/operator/number-rules",
  title: "number rules",
  read: (stored) => storedRules.parse(stored),
  otherwise: DEFAULT_NUMBER_RULES,
  unreadable: "The rules on numbers cannot be read at the moment; repeat the request.",
});

/** The current rules. Where they cannot be read at all, the default ones: a send that is due does not wait for them. */
export const currentNumberRules = (env: SettingBindings, ctx: SettingWaits): Promise<NumberRules> =>
  numberRules.current(env, ctx).catch((problem: unknown) => {
    logProblem("number rules", problem);
    return DEFAULT_NUMBER_RULES;
  });

/** The rules as they are stored, for the operator who is to change them. */
export const storedNumberRules = (env: SettingBindings, ctx: SettingWaits): Promise<NumberRules> =>
  numberRules.stored(env, ctx);

/** What the audit trail records of the rules: all of them, as they are from now on. */
export const numberRulesAct = ({ premium_rate, prefixes }: NumberRules): ReportedAct => ({
  action: "numbers.changed",
  details: { premium_rate, refused: prefixes.map(({ prefix }) => prefix).join(" ") },
});

/** Replaces the rules: here at once, everywhere within five minutes. */
export const writeNumberRules = (bucket: R2Bucket, rules: NumberRules): Promise<void> =>
  numberRules.replace(bucket, rules);

/** The rules as they are typed. */
export const typedNumberRules = ({ premium_rate, prefixes }: NumberRules): Record<"premium" | "prefixes", string> => ({
  premium: premium_rate,
  prefixes: prefixes.map(({ prefix, note }) => `${prefix} ${note}`.trim()).join("\n"),
});

/** Reads typed rules, or returns the line that is wrong, counted from 1, or that they are too many. */
export function readNumberRules(form: Record<string, string>): { rules: NumberRules } | { fault: number | "many" } {
  const prefixes: NumberRules["prefixes"] = [];
  for (const [index, line] of (form["prefixes"] ?? "").split(/\r?\n/u).entries()) {
    const [prefix = "", ...words] = line.trim().split(/\s+/u);
    if (prefix === "") continue;
    const read = refusedPrefix.safeParse({ prefix, note: words.join(" ") });
    if (!read.success) return { fault: index + 1 };
    prefixes.push(read.data);
  }
  if (prefixes.length > RULE_ENTRIES_MAX) return { fault: "many" };
  return { rules: { premium_rate: form["premium"] === "allow" ? "allow" : "refuse", prefixes } };
}
