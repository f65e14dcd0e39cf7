import type * as z from "zod";
import type { Config } from "../config/settings.ts";
import type { CarrierSecrets, CarrierSetup } from "../model/carrier/carrier.ts";
import { isCallbackToken } from "./callback-token.ts";
import type { Carrier } from "./carrier.ts";
import type { CarrierIds } from "./ids.ts";

// A kind of carrier: how its settings read, and how a carrier is made of them. A new kind is one file and one line in
// table.ts.

/** What the deployment gives every carrier. */
export interface Around {
  config: Config;
  env: Env;
  /** Where its receipts go, with the token that proves them where its kind has one. */
  callbackUrl: string;
  /** Which message a carrier's own id stands for; absent where nothing stores that. */
  ids?: CarrierIds | undefined;
}

export interface Kind<Settings extends z.ZodType = z.ZodType> {
  /** Its settings with their defaults; strict, so that a misspelled one is refused (contract §16.3). */
  settings: Settings;
  /** Its secrets; what they depend on is checked by `fault`. */
  secrets: z.ZodType<CarrierSecrets>;
  /** What is wrong with settings and secrets together, as a sentence with the path of its field; null: nothing. */
  fault?: (settings: z.output<Settings>, secrets: CarrierSecrets) => { param: string; error: string } | null;
  /** The addresses among its settings, by their paths: each must be a public one (contract §14). */
  addresses: (settings: z.output<Settings>) => Readonly<Record<string, string>>;
  /** The bare hosts among its settings, by their paths: each must be a public one, by name or in numbers. */
  hosts?: (settings: z.output<Settings>) => Readonly<Record<string, string>>;
  /**
   * How its receipts come by HTTP: `signed` to an address of its name alone, with a proof that its carrier checks; `token`
   * to one that ends in a token, without which no carrier of the kind is asked (`anyKind`). Absent: they do not.
   */
  callback?: "signed" | "token";
  carrier: (setup: CarrierSetup<z.output<Settings>>, around: Around) => Carrier;
}

/** What came of reading settings and secrets; of what is wrong the path, and a sentence or the schema's issue. */
export type ReadSettings =
  | {
      ok: true;
      settings: Record<string, unknown>;
      addresses: Readonly<Record<string, string>>;
      hosts: Readonly<Record<string, string>>;
    }
  | { ok: false; in: "settings" | "secrets"; issue: z.core.$ZodIssue | undefined }
  | { ok: false; in: null; param: string; error: string };

/** A kind whose settings are not known as a type: what the table holds. */
export interface AnyKind {
  callback: Kind["callback"];
  /** Reads settings and secrets as the operator writes them, with their defaults. */
  read: (settings: unknown, secrets: CarrierSecrets) => ReadSettings;
  /** Null where the settings are none of this kind, as those of a newer version may be. */
  carrier: (setup: CarrierSetup, around: Around) => Carrier | null;
}

/** A carrier that reads a receipt only where its address ends in the token of the carrier's name. */
function behindToken(made: Carrier, { config }: Around): Carrier {
  const read = made.receipts?.bind(made);
  if (!read) return made;
  return {
    ...made,
    receipts: async (request, token) =>
      isCallbackToken(config.KEY_SECRET, made.name, token) ? read(request, token) : "forged",
  };
}

/** A kind without the type of its settings: they are read by its schema before any of its functions gets them. */
export function anyKind<Settings extends z.ZodType<Record<string, unknown>>>(kind: Kind<Settings>): AnyKind {
  return {
    callback: kind.callback,
    read(given, givenSecrets) {
      const settings = kind.settings.safeParse(given);
      if (!settings.success) return { ok: false, in: "settings", issue: settings.error.issues[0] };
      const secrets = kind.secrets.safeParse(givenSecrets);
      if (!secrets.success) return { ok: false, in: "secrets", issue: secrets.error.issues[0] };
      const fault = kind.fault?.(settings.data, secrets.data) ?? null;
      if (fault) return { ok: false, in: null, ...fault };
      const { data } = settings;
      return { ok: true, settings: data, addresses: kind.addresses(data), hosts: kind.hosts?.(data) ?? {} };
    },
    carrier(setup, around) {
      const settings = kind.settings.safeParse(setup.settings);
      if (!settings.success) return null;
      const made = kind.carrier({ ...setup, settings: settings.data }, around);
      return kind.callback === "token" ? behindToken(made, around) : made;
    },
  };
}
