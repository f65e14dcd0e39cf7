import type { Operation } from "../operations.ts";

// Carriers and routes as the operator sets them up (contract §16), in the forms that several areas share.

/** What a carrier is: by which protocol it is spoken to. */
export const CARRIER_KINDS = ["sim", "http", "template", "smpp", "kannel", "twilio", "infobip"] as const;
export type CarrierKind = (typeof CARRIER_KINDS)[number];

/** The name of a carrier. */
export const CARRIER_NAME = /^[a-z][a-z0-9-]{0,31}$/u;

/** Secrets by their names. */
export type CarrierSecrets = Readonly<Record<string, string>>;

/** A carrier as it was set up. */
export interface CarrierSetup<Settings = unknown> {
  name: string;
  kind: CarrierKind;
  /** As its kind's schema reads them, with their defaults. */
  settings: Settings;
  secrets: CarrierSecrets;
  /** Submissions that it takes in a second; null where that is learned. */
  tps: number | null;
}

/** What a carrier answered to one submission, for the operator who tries it out (contract §16.1). */
export type CarrierAnswer =
  | { status: number; headers: Record<string, string>; body: string | null }
  | { command_status: number; message_id: string | null };

/** What goes to a carrier with an Indian text that was matched (contract §17). */
export interface DltFields {
  entityId: string;
  /** Null where no template was found, and the account sends all the same. */
  templateId: string | null;
  category: string | null;
}

/** One rule of where messages go: the first that fits decides (contract §16.2). */
export interface Route {
  /** Absent: all of them. */
  operations?: readonly Operation[] | undefined;
  /** `*`, prefixes such as `+9198`, and ISO 3166 codes; absent: all numbers. */
  to?: readonly string[] | undefined;
  carriers: readonly { name: string; weight: number }[];
  fallback?: readonly string[] | undefined;
}
