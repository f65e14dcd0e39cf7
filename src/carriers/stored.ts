import * as z from "zod";
import type { CarrierSecrets } from "../model/carrier/carrier.ts";
import { seal, unseal } from "../crypto/seal.ts";
import { secretsOf } from "../crypto/secrets.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import { KeptSetting } from "../kept/setting.ts";

// The carriers and routes as they are stored: one setting in R2, so that neither a query nor a row stands in the way of a
// send. Secrets in it are sealed. What it says is read loosely, as an older version may meet what a newer one wrote.

const sealed = z.record(z.string(), z.string());

const setup = z.object({
  name: z.string(),
  kind: z.string(),
  /** As the kind's schema wrote them, with their defaults. */
  settings: z.record(z.string(), z.unknown()),
  /** Each secret sealed, in Base64. */
  secrets: sealed,
  tps: z.number().nullable(),
});

const carrier = setup.extend({
  /** In ms since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
});

/** How a carrier was set up before a change, or before it was deleted: its receipts are read until this time, in ms. */
const past = setup.omit({ tps: true }).extend({ until: z.number() });

const route = z.object({
  operations: z.array(z.string()).optional(),
  to: z.array(z.string()).optional(),
  carriers: z.array(z.object({ name: z.string(), weight: z.number() })),
  fallback: z.array(z.string()).optional(),
});

const carrierDocument = z.object({ carriers: z.array(carrier), past: z.array(past), routes: z.array(route) });

export type StoredCarrier = z.output<typeof carrier>;
export type PastCarrier = z.output<typeof past>;
export type StoredRoute = z.output<typeof route>;
export type CarrierDocument = z.output<typeof carrierDocument>;

/** The carriers and routes of the deployment, by the operator. */
export const carrierSetting = new KeptSetting<CarrierDocument>({
  key: "settings/carriers.json",
  cache: "carriers",
  copyPath: "/operator/carriers",
  title: "carriers",
  read: (stored) => carrierDocument.parse(stored),
  otherwise: { carriers: [], past: [], routes: [] },
  unreadable: "The carriers cannot be read at the moment; repeat the request.",
});

/** A carrier's secrets are sealed for it alone: moved to another carrier they do not open. */
const scopeOf = (name: string): string => `carrier:${name}`;

/** Seals the secrets of a carrier for storage. */
export async function sealSecrets(by: GivenSecrets, name: string, secrets: CarrierSecrets) {
  const entries = Object.entries(secrets).map(
    async ([key, value]) => [key, Buffer.from(await seal(by, scopeOf(name), value)).toString("base64")] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Opens the stored secrets of a carrier; null where a secret of the service is not listed any more that sealed one. */
export function openSecrets(by: GivenSecrets, name: string, stored: CarrierSecrets): CarrierSecrets | null {
  try {
    const entries = Object.entries(stored).map(
      ([key, value]) => [key, unseal(by, scopeOf(name), Buffer.from(value, "base64"))] as const,
    );
    return Object.fromEntries(entries);
  } catch {
    return null;
  }
}

/** What the operator is told of secrets that do not open. */
export const CLOSED_SECRETS =
  "This carrier's secrets do not open with SEAL_SECRET: list the secret again that sealed them, or set each of them anew.";

/** The names of the carriers that have secrets which do not open, now or in a set-up from before. */
export const closedIn = (by: GivenSecrets, { carriers, past: before }: CarrierDocument): string[] => [
  ...new Set(
    [...carriers, ...before]
      .filter(({ name, secrets }) => openSecrets(by, name, secrets) === null)
      .map(({ name }) => name),
  ),
];

/** Whether another secret of the service than the one that makes now sealed any of these. */
const isOlder = (by: GivenSecrets, stored: CarrierSecrets): boolean =>
  Object.values(stored).some((value) => Buffer.from(value, "base64")[0] !== secretsOf(by).current.id);

/** The same with its secrets sealed by the secret that makes now; those that do not open stay as they are. */
async function resealed<T extends { name: string; secrets: CarrierSecrets }>(by: GivenSecrets, one: T): Promise<T> {
  const opened = isOlder(by, one.secrets) ? openSecrets(by, one.name, one.secrets) : null;
  return opened ? { ...one, secrets: await sealSecrets(by, one.name, opened) } : one;
}

/** The document with every secret sealed by the secret that makes now; null where each is already. */
export async function resealDocument(by: GivenSecrets, document: CarrierDocument): Promise<CarrierDocument | null> {
  const all = [...document.carriers, ...document.past];
  const due = all.filter(({ name, secrets }) => isOlder(by, secrets) && openSecrets(by, name, secrets) !== null);
  if (due.length === 0) return null;
  const carriers = await Promise.all(document.carriers.map((one) => resealed(by, one)));
  return { ...document, carriers, past: await Promise.all(document.past.map((one) => resealed(by, one))) };
}

/** The ids of the secrets of the service that sealed what is stored. */
export function sealedBy({ carriers, past: before }: CarrierDocument): Set<number> {
  const values = [...carriers, ...before].flatMap(({ secrets }) => Object.values(secrets));
  return new Set(values.map((value) => Buffer.from(value, "base64")[0] ?? 0));
}
