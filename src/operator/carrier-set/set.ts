import * as z from "zod";
import { carrierSetting } from "../../carriers/stored.ts";
import type { CarrierDocument } from "../../carriers/stored.ts";
import { isBuiltInName } from "../../carriers/table.ts";
import { configOf } from "../../config/config.ts";
import type { Config } from "../../config/settings.ts";
import { seal, unseal } from "../../crypto/seal.ts";
import { invalidRequest } from "../../http/body.ts";
import { FailureError } from "../../http/errors.ts";
import type { SettingWaits } from "../../kept/setting.ts";
import { CARRIER_NAME } from "../../model/carrier/carrier.ts";
import { routesField } from "../../routing/read.ts";
import { importedDocument, markOfSet, secretsOf } from "./change.ts";
import type { GivenSet } from "./change.ts";
import { carrierFields, refuseField } from "./read.ts";

// All carriers and routes as one file: how it reads, and what taking it would change.

const CARRIERS_MAX = 100;

const NAME = "name must be a small letter and at most 31 small letters, digits and dashes, and of no built-in carrier.";
const CARRIERS = `carriers must be a list of at most ${CARRIERS_MAX} carriers.`;

const SECRETS = "secrets must be an object of strings, or the list of names that an export has.";

/** What the document shows. */
const EXAMPLE = {
  name: "acme",
  kind: "http",
  settings: { url: "https://gateway.example.com/messages" },
  secrets: { secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" },
};

/** A carrier as an export has it: there the secrets are names, which says that they stay. */
const setCarrier = z.strictObject(
  {
    name: z
      .string(NAME)
      .regex(CARRIER_NAME, NAME)
      .refine((name) => !isBuiltInName(name), NAME)
      .meta({ examples: ["acme"] }),
    ...carrierFields,
    secrets: z
      .union([z.array(z.string()).transform(() => undefined), carrierFields.secrets], SECRETS)
      .meta({ description: "Secrets to set; or, as in an export, the names of those that stay as they are." }),
  },
  "Each of carriers must be an object with name, kind and settings.",
);

/** All carriers and routes, as they are imported. */
export const carrierSetBody = z.strictObject({
  carriers: z
    .array(setCarrier, CARRIERS)
    .max(CARRIERS_MAX, CARRIERS)
    .check((ctx) => {
      const names = ctx.value.map(({ name }) => name);
      const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
      if (twice < 0) return;
      const message = `There are two carriers with the name ${names[twice]}.`;
      ctx.issues.push({ code: "custom", message, input: ctx.value, path: [twice, "name"] });
    })
    .meta({ examples: [[EXAMPLE]] }),
  routes: routesField,
});

/** Reads the text of a file; ends the request with its first fault. */
export function readSet(text: string): GivenSet {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch {
    return refuseField("set", "This is not valid JSON.");
  }
  // The API's reply says so beside them.
  const { success: _, ...set } = z.looseObject({}).catch({}).parse(file);
  const read = carrierSetBody.safeParse(set);
  if (!read.success) throw new FailureError(invalidRequest(read.error));
  return read.data;
}

/** What becomes of one carrier; of one that changes, the paths that differ. */
export interface CarrierChange {
  name: string;
  change: "added" | "removed" | "changed";
  what: readonly string[];
}

export interface SetChanges {
  carriers: readonly CarrierChange[];
  /** How many there are, before and after; null where they stay as they are. */
  routes: { before: number; after: number } | null;
}

/** The keys of two objects whose values differ. */
function differing(one: object, other: object): string[] {
  const [before, after] = [
    new Map<string, unknown>(Object.entries(one)),
    new Map<string, unknown>(Object.entries(other)),
  ];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)));
}

type Carrier = CarrierDocument["carriers"][number];

/** The paths in which two set-ups differ; of secrets their names. */
const pathsOf = (config: Config, before: Carrier, after: Carrier): string[] => [
  ...(before.kind === after.kind ? [] : ["kind"]),
  ...(before.tps === after.tps ? [] : ["tps"]),
  ...differing(before.settings, after.settings).map((name) => `settings.${name}`),
  ...differing(secretsOf(config, before) ?? {}, secretsOf(config, after) ?? {}).map((name) => `secrets.${name}`),
];

/** How two sets differ. */
function changesOf(config: Config, before: CarrierDocument, after: CarrierDocument): SetChanges {
  const names = [...new Set([...before.carriers, ...after.carriers].map(({ name }) => name))].toSorted();
  const carriers = names.flatMap((name): CarrierChange[] => {
    const [old, fresh] = [before, after].map((set) => set.carriers.find((one) => one.name === name));
    if (!old) return [{ name, change: "added", what: [] }];
    if (!fresh) return [{ name, change: "removed", what: [] }];
    const what = pathsOf(config, old, fresh);
    return what.length > 0 ? [{ name, change: "changed", what }] : [];
  });
  const isSame = JSON.stringify(before.routes) === JSON.stringify(after.routes);
  return { carriers, routes: isSame ? null : { before: before.routes.length, after: after.routes.length } };
}

const SCOPE = "carrier-set-shown";

/** What taking a set would change; `taken` is the set, sealed, for the operator's next form. Ends the request at a fault. */
export async function compareSet(env: Env, ctx: SettingWaits, given: GivenSet, text: string, nowMs: number) {
  const config = configOf(env);
  const before = await carrierSetting.stored(env, ctx);
  const after = await importedDocument(config, before, given, nowMs);
  const sealed = await seal(config.SEAL_SECRET, SCOPE, text);
  return {
    changes: changesOf(config, before, after),
    mark: markOfSet(before),
    taken: Buffer.from(sealed).toString("base64"),
  };
}

/** The text of the set that an operator was shown; null where it is none that this service sealed. */
export function shownSet(config: Config, taken: string): string | null {
  try {
    return unseal(config.SEAL_SECRET, SCOPE, Buffer.from(taken, "base64"));
  } catch {
    return null;
  }
}
