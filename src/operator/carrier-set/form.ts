import type { CarrierKind } from "../../model/carrier/carrier.ts";
import type { GivenCarrier } from "./read.ts";

// A carrier as a form: the fields of each kind, and how they become what the API takes. What is wrong with it says the
// same reading as the API's (read.ts), whose paths are the names of the fields.

/** How a field is written: `some` is a list that is ticked, `json` any value. */
export type CarrierField = { name: string; initial?: string } & (
  | { as: "text" | "number" | "yes" | "json" }
  | { as: "choice"; options: readonly string[] }
  | { as: "some"; options: readonly string[] }
);

/** The kinds that can be set up, in the order of the page: the simulator is always there. */
export const SET_UP_KINDS = [
  "template",
  "smpp",
  "kannel",
  "twilio",
  "infobip",
  "http",
] as const satisfies CarrierKind[];

export type SetUpKind = (typeof SET_UP_KINDS)[number];

const choice = (name: string, ...options: string[]): CarrierField => ({ name, as: "choice", options });
const number = (name: string, initial?: string): CarrierField => ({ name, as: "number", ...(initial && { initial }) });
const text = (name: string, initial?: string): CarrierField => ({ name, as: "text", ...(initial && { initial }) });
const json = (name: string, initial?: string): CarrierField => ({ name, as: "json", ...(initial && { initial }) });

/** The operations that a described carrier can have. */
const TEXTS = ["sms", "sms_international", "otp"] as const;

/** The settings of each kind as fields, with the values that stand in a fresh form. */
export const KIND_FIELDS: Readonly<Record<SetUpKind, readonly CarrierField[]>> = {
  template: [
    text("url"),
    choice("method", "POST", "GET"),
    json("query"),
    json("headers"),
    json("body"),
    choice("body_type", "json", "form"),
    { name: "operations", as: "some", options: TEXTS, initial: TEXTS.join(" ") },
    json("busy", '[{"status":[429,503]}]'),
    json("rejected"),
    json("accepted", '[{"status":"2xx"}]'),
    json("id"),
    json("receipt"),
  ],
  smpp: [
    text("host"),
    number("port", "2775"),
    { name: "tls", as: "yes" },
    text("system_id"),
    text("system_type"),
    choice("bind", "trx", "tx_rx"),
    number("binds", "1"),
    number("window", "10"),
    text("sender"),
    choice("encoding", "gsm7", "latin1"),
    choice("long", "udh", "sar", "payload"),
    choice("flash", "dc", "tlv"),
    number("source_ton"),
    number("source_npi"),
    number("dest_ton"),
    number("dest_npi"),
    text("tlv_entity", "0x1400"),
    text("tlv_template", "0x1401"),
    { name: "tlv_terminated", as: "yes" },
    number("enquire_s", "30"),
    number("response_s", "10"),
    choice("id_form", "same", "hex"),
  ],
  kannel: [
    text("url"),
    text("username"),
    text("smsc"),
    text("sender"),
    text("tlv_entity", "pe_id"),
    text("tlv_template", "template_id"),
  ],
  twilio: [text("account_sid"), text("from"), text("messaging_service_sid"), text("api_url", "https://api.twilio.com")],
  infobip: [text("base_url"), text("sender")],
  http: [text("url")],
};

/** The secrets of each kind; those of a described carrier are the ones that its texts name. */
const KIND_SECRETS: Readonly<Record<SetUpKind, readonly string[]>> = {
  template: [],
  smpp: ["password"],
  kannel: ["password"],
  twilio: ["auth_token"],
  infobip: ["api_key"],
  http: ["secret"],
};

/** The most secrets that a form asks for; a description may have as many. */
const SECRETS_MAX = 20;

export const isSetUpKind = (kind: string | undefined): kind is SetUpKind => SET_UP_KINDS.some((one) => one === kind);

/** A form's name of a setting, which is also the path that a fault names. */
export const settingField = (name: string): string => `settings.${name}`;
export const secretField = (name: string): string => `secrets.${name}`;
export const removeField = (name: string): string => `remove.${name}`;

type Typed = Readonly<Record<string, string>>;

/** The secrets that the form asks for: of the kind, of what is stored, and of what the typed texts name. */
export function secretsAsked(kind: SetUpKind, typed: Typed, stored: readonly string[], needed?: string): string[] {
  const named = Object.entries(typed)
    .filter(([name]) => kind === "template" && name.startsWith("settings."))
    .flatMap(([, value]) => [...value.matchAll(/\{secret\.([a-z0-9_]{1,32})\}/gu)].map(([, name = ""]) => name));
  const isSigned = kind === "template" && /"hmac"\s*:/u.test(typed[settingField("receipt")] ?? "");
  const all = [...KIND_SECRETS[kind], ...named, ...(isSigned ? ["hmac_key"] : []), ...stored];
  return [...new Set(needed === undefined ? all : [...all, needed])].slice(0, SECRETS_MAX);
}

const jsonText = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));

/** How a setting stands in its field. */
function shownValue(field: CarrierField, value: unknown): string {
  if (value === undefined || value === null) return "";
  switch (field.as) {
    case "json": {
      const isEmpty = typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
      return isEmpty ? "" : jsonText(value);
    }
    case "some":
      return Array.isArray(value) ? value.join(" ") : "";
    case "yes":
      return value === true ? "1" : "";
    case "text":
    case "number":
    case "choice":
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}

/** The fields of a carrier that is set up, or of a description to start from. */
export function typedOf(kind: SetUpKind, settings: object): Record<string, string> {
  const given = new Map<string, unknown>(Object.entries(settings));
  return Object.fromEntries(
    KIND_FIELDS[kind].map((field) => {
      const value = given.has(field.name) ? shownValue(field, given.get(field.name)) : startOf(field);
      return [settingField(field.name), value];
    }),
  );
}

/** What stands in the field of a fresh form. */
function startOf(field: CarrierField): string {
  const { initial = "" } = field;
  return field.as === "json" && initial !== "" ? jsonText(JSON.parse(initial)) : initial;
}

/** A form whose JSON does not parse: the field. */
export interface BrokenField {
  broken: string;
}

/** The ticks of a list, which a form that was posted has a field each for. */
function ticked(typed: Typed, name: string, options: readonly string[]): string[] {
  return options.filter((option) => typed[`${settingField(name)}.${option}`] === "1");
}

/** The typed fields with each list that was ticked as one text, as `typedOf` has them. */
export function withTicks(kind: SetUpKind, typed: Typed): Record<string, string> {
  const lists = KIND_FIELDS[kind].flatMap((field) =>
    field.as === "some"
      ? [[settingField(field.name), ticked(typed, field.name, field.options).join(" ")] as const]
      : [],
  );
  return { ...typed, ...Object.fromEntries(lists) };
}

/** What a field stands for; undefined where it is left out, null where its JSON does not parse. */
function valueOf(field: CarrierField, typed: Typed): { value: unknown } | null | undefined {
  const written = typed[settingField(field.name)] ?? "";
  if (field.as === "some") return { value: ticked(typed, field.name, field.options) };
  if (field.as === "yes") return { value: written === "1" };
  if (written.trim() === "") return undefined;
  if (field.as === "number") return { value: /^-?[0-9]{1,9}$/u.test(written.trim()) ? Number(written) : written };
  if (field.as !== "json") return { value: written.trim() };
  try {
    return { value: JSON.parse(written) as unknown };
  } catch {
    return null;
  }
}

/** A number that is typed as none stays a text, which the schema refuses; null is learned. */
const tpsOf = (typed: string): number | null => {
  if (typed.trim() === "") return null;
  return /^[0-9]{1,9}$/u.test(typed.trim()) ? Number(typed) : Number.NaN;
};

/** The secrets that were typed, and those that a tick removes; an empty field keeps the one that is stored. */
function secretsOf(typed: Typed): Record<string, string | null> {
  const given = Object.entries(typed).flatMap(([field, value]): [string, string | null][] => {
    if (field.startsWith("secrets.") && value !== "") return [[field.slice("secrets.".length), value]];
    return field.startsWith("remove.") && value === "1" ? [[field.slice("remove.".length), null]] : [];
  });
  // One that is typed counts, whatever is ticked beside it.
  return Object.fromEntries(given.toSorted(([, one], [, other]) => Number(one !== null) - Number(other !== null)));
}

/** A posted form as the API takes it, or the field whose JSON does not parse. */
export function carrierOfForm(kind: SetUpKind, typed: Typed): GivenCarrier | BrokenField {
  const settings: [string, unknown][] = [];
  for (const field of KIND_FIELDS[kind]) {
    const found = valueOf(field, typed);
    if (found === null) return { broken: settingField(field.name) };
    if (found) settings.push([field.name, found.value]);
  }
  return { kind, settings: Object.fromEntries(settings), secrets: secretsOf(typed), tps: tpsOf(typed["tps"] ?? "") };
}

/** The field of the form that a fault's path belongs to; undefined where it is none of the form's. */
export function fieldAt(kind: SetUpKind, param: string | undefined): string | undefined {
  if (param === undefined) return undefined;
  if (param === "tps" || param === "name" || param.startsWith("secrets.")) return param;
  const names = KIND_FIELDS[kind].map(({ name }) => settingField(name));
  return names.find((name) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`));
}
