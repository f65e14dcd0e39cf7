import { dastak } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import { profileName } from "../connection.ts";
import type { Given } from "../given.ts";
import { askHidden, canAsk, valueOrInput } from "../input.ts";
import { masked, readStored, writeStored } from "../profiles.ts";
import { counted, wireOf } from "../reply.ts";
import { usage } from "../stop.ts";

// Keys that are stored, and the coins behind them.

/** The key to store: given, or typed by a person. */
async function keyIn(given: Given): Promise<string> {
  const option = given.text("api-key");
  if (option === undefined && !canAsk()) {
    throw usage("There is no terminal to ask on.", "echo KEY | dastak login --api-key -");
  }
  const key = (option === undefined ? await askHidden("API key (not shown): ") : await valueOrInput(option)).trim();
  if (!/^dsk_[!-~]+$/u.test(key)) throw usage("An API key begins with dsk_live_ or dsk_test_.");
  return key;
}

async function runLogin({ out, env }: Context, given: Given): Promise<void> {
  const stored = readStored(env);
  const name = profileName(given, env, stored);
  const key = await keyIn(given);
  const before = Object.hasOwn(stored.profiles, name) ? stored.profiles[name]?.url : undefined;
  const url = given.text("url") ?? (env["DASTAK_URL"] || undefined) ?? before ?? "http://localhost:8787";
  const { balance } = await dastak({ apiKey: key, baseUrl: url, retries: 1 }).accountBalance();
  const profiles = { ...stored.profiles, [name]: { api_key: key, url } };
  const file = writeStored(env, { ...stored, profile: stored.profile ?? name, profiles });
  out.show(
    { profile: name, url, key: masked(key), balance, file },
    `Stored as ${name} in ${file}. ${counted(balance, "coin")}.`,
  );
}

const login: Command = {
  name: "login",
  about: "Store an API key, after a look whether it works",
  options: {},
  examples: ["dastak login", 'echo "$KEY" | dastak login --api-key - --profile shop --url https://{base}.example.com'],
  run: runLogin,
};

const logout: Command = {
  name: "logout",
  about: "Forget a stored key",
  options: {},
  examples: ["dastak logout --profile shop"],
  run({ out, env }, given) {
    const stored = readStored(env);
    const name = profileName(given, env, stored);
    const { [name]: gone, ...profiles } = stored.profiles;
    if (!gone) throw usage(`There is no profile ${name}.`, "dastak profiles lists them.");
    const { profile, ...rest } = stored;
    writeStored(env, { ...rest, ...(profile !== undefined && profile !== name && { profile }), profiles });
    out.show({ profile: name, removed: true }, `${name} is forgotten. The key itself still works.`);
  },
};

const profiles: Command = {
  name: "profiles",
  about: "List the stored keys",
  options: {},
  examples: ["dastak profiles"],
  run({ out, env }, given) {
    const stored = readStored(env);
    const used = profileName(given, env, stored);
    const rows = Object.entries(stored.profiles).map(([name, { api_key: key, url = "" }]) => ({
      name,
      used: name === used,
      key: masked(key),
      url,
    }));
    out.show({ data: rows }, () =>
      rows.length === 0
        ? "None is stored; dastak login stores one."
        : out.table(
            [
              { title: "PROFILE", of: ({ name }) => name },
              { title: "USED", of: (row) => (row.used ? "yes" : "") },
              { title: "KEY", of: ({ key }) => key },
              { title: "ADDRESS", of: ({ url }) => url },
            ],
            rows,
          ),
    );
  },
};

const profilesUse: Command = {
  name: "profiles use",
  about: "Choose the stored key that is used when none is asked for",
  args: [{ name: "PROFILE", about: "Its name" }],
  options: {},
  examples: ["dastak profiles use shop"],
  run({ out, env }, given) {
    const stored = readStored(env);
    const name = given.arg(0);
    if (!Object.hasOwn(stored.profiles, name)) {
      throw usage(`There is no profile ${name}.`, "dastak profiles lists them.");
    }
    writeStored(env, { ...stored, profile: name });
    out.show({ profile: name }, `${name} is used from now on.`);
  },
};

const balance: Command = {
  name: "balance",
  about: "Tell how many coins are left",
  options: {},
  examples: ["dastak balance", "dastak balance | jq .balance"],
  async run(context) {
    const { client, mode } = context.connect();
    const reply = await client.accountBalance();
    const play = mode === "test" ? " of play money (test key)" : "";
    context.out.show({ ...wireOf(reply), mode }, `${counted(reply.balance, "coin")}${play}`);
  },
};

export const ACCOUNT = [login, logout, profiles, profilesUse, balance];
