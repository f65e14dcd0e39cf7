import { dastak } from "../index.ts";
import type { Dastak } from "../index.ts";
import type { Given } from "./given.ts";
import { readStored } from "./profiles.ts";
import type { Stored } from "./profiles.ts";
import { Stop, usage } from "./stop.ts";

// Which service, with which key.

const URL_LOCAL = "http://localhost:8787";

/** Attempts after the first: a person waits for the answer. */
const RETRIES = 2;

export interface Connection {
  client: Dastak;
  apiKey: string;
  /** An address or a template, as `baseUrl` of the client. */
  url: string;
  /** What the key's name says; a test key costs play coins, and sends to the test inbox. */
  mode: "live" | "test";
}

/** What is asked for, before anything is asked of the service. */
export interface Settings {
  apiKey: string | undefined;
  url: string;
  /** Where the key comes from, for people. */
  source: string;
}

/** The name of the profile that a command uses. */
export const profileName = (given: Given, env: Readonly<Record<string, string | undefined>>, stored: Stored): string =>
  given.text("profile") ?? (env["DASTAK_PROFILE"] || undefined) ?? stored.profile ?? "default";

/** Variables with the key: the command line's own one, and that of the samples in the documentation. */
const VARIABLES = ["DASTAK_API_KEY", "DASTAK_KEY"] as const;

/** Key and address: an option, else the environment, else the profile. */
export function settingsOf(given: Given, env: Readonly<Record<string, string | undefined>>): Settings {
  const asked = given.text("profile") ?? (env["DASTAK_PROFILE"] || undefined);
  const optionKey = given.text("api-key");
  const variable = VARIABLES.find((name) => env[name]);
  const own = optionKey ?? (variable && env[variable]);
  const from = optionKey === undefined ? (variable ?? "") : "--api-key";
  const url = given.text("url") ?? (env["DASTAK_URL"] || undefined);
  // The file is not looked at where nothing of it is needed: it may be broken, or another user's.
  if (own !== undefined && url !== undefined) return { apiKey: own, url, source: from };
  const stored = readStored(env);
  const name = profileName(given, env, stored);
  const profile = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
  if (asked !== undefined && !profile) {
    const names = Object.keys(stored.profiles).join(", ");
    throw usage(`There is no profile ${name}.`, names === "" ? "dastak login stores one." : `There are: ${names}.`);
  }
  const source = own === undefined ? `profile ${name}` : from;
  return { apiKey: own ?? profile?.api_key, url: url ?? profile?.url ?? URL_LOCAL, source };
}

/** A client for these settings; throws a `Stop` without a key. */
export function connectionOf({ apiKey, url }: Settings, tell: (text: string) => void): Connection {
  if (apiKey === undefined) {
    throw new Stop("key", "unauthorized", "There is no API key.", "Set DASTAK_KEY, or run: dastak login");
  }
  const client = dastak({
    apiKey,
    baseUrl: url,
    retries: RETRIES,
    onRetry: ({ error, waitMs }) => {
      if (waitMs >= 2_000) tell(`${error.message} Trying again in ${Math.ceil(waitMs / 1000)} s.`);
    },
  });
  return { client, apiKey, url, mode: apiKey.startsWith("dsk_test_") ? "test" : "live" };
}
