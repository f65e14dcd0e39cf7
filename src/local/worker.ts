import { openDemo } from "../accounts/open.ts";
import { ConfigError, configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { historyDatabases } from "../db/history-databases.ts";
import { applyMigrations } from "../db/migrate.ts";
import service, {
  Account as DeployedAccount,
  CarrierIds as DeployedCarrierIds,
  Inbox as DeployedInbox,
  Pace as DeployedPace,
  SmppBind as DeployedSmppBind,
} from "../worker.ts";
import migrations from "./migrations.json";
import { LOCAL_VARIABLES } from "./variables.ts";
import { yieldToTimers } from "./yield-to-timers.ts";

// The Worker that `wrangler dev` and `npm start` run: the deployed one, which here also migrates its database, opens
// the demo account and has default secrets. A deployment runs src/worker.ts and contains no code of this folder.

const completed = new WeakMap<object, Env>();

/** The environment with the defaults of a local service; the same object for every call with the same environment. */
export function complete(env: Env): Env {
  let all = completed.get(env);
  if (!all) {
    all = { ...LOCAL_VARIABLES, ...env };
    completed.set(env, all);
  }
  return all;
}

export class Account extends DeployedAccount {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, complete(env));
  }
}

export class Inbox extends DeployedInbox {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, complete(env));
  }
}

export class Pace extends DeployedPace {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, complete(env));
  }
}

export class SmppBind extends DeployedSmppBind {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, complete(env));
  }
}

export class CarrierIds extends DeployedCarrierIds {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, complete(env));
  }
}

/** The configuration; null if a setting is invalid, which the service itself reports in its replies. */
function configured(env: Env): Config | null {
  try {
    return configOf(env);
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
}

let prepared = false;

/**
 * Migrates the databases and opens the demo account, once per isolate. Concurrent first requests each do so, since a promise that
 * they shared would end with the request that made it; repeating it changes nothing.
 */
async function prepare(env: Env): Promise<void> {
  const config = configured(env);
  if (!config) return;
  await applyMigrations(env.DB, migrations.service);
  for (const { database } of historyDatabases(env)) await applyMigrations(database, migrations.history);
  if (config.ENVIRONMENT === "local") await openDemo(env, config);
  prepared = true;
}

export default {
  async fetch(request, env, ctx) {
    const all = complete(env);
    if (!prepared) await prepare(all);
    await yieldToTimers();
    return service.fetch(request, all, ctx);
  },
  queue: (batch, env, ctx) => service.queue(batch, complete(env), ctx),
  scheduled: (event, env) => service.scheduled(event, complete(env)),
} satisfies ExportedHandler<Env>;
