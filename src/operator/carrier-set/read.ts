import * as z from "zod";
import { KINDS, KIND_NAMES } from "../../carriers/table.ts";
import type { Config } from "../../config/settings.ts";
import { failureOfIssue, invalidRequest } from "../../http/body.ts";
import { FailureError } from "../../http/errors.ts";
import type { CarrierKind, CarrierSecrets } from "../../model/carrier/carrier.ts";
import { ADDRESS_FAULTS, HOST_FAULTS, refusedAddress, refusedHost } from "../../webhooks/guard.ts";

// A carrier as the operator writes it (contract §16.1): its settings by the schema of its kind, and each fault with the
// path of its field.

const KIND = `kind must be one of ${KIND_NAMES.join(", ")}.`;
const TPS = "tps must be a whole number from 1 to 10000, or null where it is to be learned.";
const SECRETS = "secrets must be an object of strings; null removes one.";

/** Of a secret: a private key in PEM has room. */
const SECRET_LENGTH_MAX = 8_192;

export const carrierFields = {
  kind: z.enum(KIND_NAMES, KIND).meta({ description: "By which protocol it is spoken to.", examples: ["http"] }),
  settings: z
    .record(z.string(), z.unknown(), "settings must be an object: those of the kind.")
    .meta({ description: "Those of its kind.", examples: [{ url: "https://gateway.example.com/messages" }] }),
  secrets: z
    .record(z.string(), z.string(SECRETS).max(SECRET_LENGTH_MAX, "A secret is too long.").nullable(), SECRETS)
    .nullish()
    .meta({
      description: "One that is left out stays as it is, and null removes it. No reply shows one.",
      examples: [{ secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX" }],
    }),
  tps: z
    .int(TPS)
    .min(1, TPS)
    .max(10_000, TPS)
    .nullish()
    .meta({ description: "Messages that it takes in a second; null: it is learned.", examples: [50] }),
};

export const carrierBody = z.strictObject(carrierFields);

/** What the operator writes of a carrier. */
export type GivenCarrier = z.output<typeof carrierBody>;

/** What was written of a carrier, where its form is right; ends the request with its first fault. */
export function givenCarrier(body: unknown): GivenCarrier {
  const read = carrierBody.safeParse(body);
  if (!read.success) throw new FailureError(invalidRequest(read.error));
  return read.data;
}

/** A carrier as it was read. */
export interface ReadCarrier {
  kind: CarrierKind;
  settings: Record<string, unknown>;
  secrets: CarrierSecrets;
  tps: number | null;
}

/** Ends the request: this field is at fault. */
export function refuseField(param: string, error: string): never {
  throw new FailureError({ code: "invalid_request", error, param });
}

/** A schema's issue with the path of its field, as a sentence: of schemas that say none, too. */
function refuseIssue(issue: z.core.$ZodIssue | undefined, path: string): never {
  const inside = failureOfIssue(issue);
  const dot = inside.param === undefined || inside.param.startsWith("[") ? "" : ".";
  const param = `${path}${dot}${inside.param ?? ""}`;
  if (issue?.code === "unrecognized_keys") return refuseField(param, `There is no field ${param}.`);
  const { message = "is not valid" } = issue ?? {};
  if (message.endsWith("received undefined")) return refuseField(param, `${param} is required.`);
  const isEnd = message.startsWith("must ");
  if (message.endsWith(".")) return refuseField(param, isEnd ? `${param} ${message}` : message);
  return refuseField(param, isEnd ? `${param} ${message}.` : `${param} is not valid: ${message}.`);
}

/** An address's fault names the field `url`; its own name is the last of its path. */
const addressSentence = (sentence: string, path: string): string =>
  sentence.replace(/^url\b/u, path.slice(path.lastIndexOf(".") + 1));

/** The secrets as they are to be: those that are known, with those that were given. */
function mergedSecrets(known: CarrierSecrets, given: GivenCarrier["secrets"]): CarrierSecrets {
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/**
 * Reads a carrier; ends the request with the first fault, whose `param` is the path of its field below `at`. `known` are
 * the secrets that it has already, as the same kind.
 */
export function readCarrier(config: Config, given: GivenCarrier, known: CarrierSecrets, at = ""): ReadCarrier {
  const kind = KINDS[given.kind] ?? refuseField(`${at}kind`, KIND);
  const secrets = mergedSecrets(known, given.secrets);
  const read = kind.read(given.settings, secrets);
  if (!read.ok) {
    return read.in === null
      ? refuseField(`${at}${read.param}`, read.error)
      : refuseIssue(read.issue, `${at}${read.in}`);
  }
  for (const [path, address] of Object.entries(read.addresses)) {
    const fault = refusedAddress(config, address);
    if (fault) refuseField(`${at}settings.${path}`, addressSentence(ADDRESS_FAULTS[fault], path));
  }
  for (const [path, host] of Object.entries(read.hosts)) {
    const fault = refusedHost(config, host);
    if (fault) refuseField(`${at}settings.${path}`, HOST_FAULTS[fault]);
  }
  return { kind: given.kind, settings: read.settings, secrets, tps: given.tps ?? null };
}
