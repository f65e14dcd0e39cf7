// Runs the service under workerd, with the local bindings of wrangler.toml and nothing in front of its socket, for
// `npm start`, the benchmarks and the tests over the wire.
import path from "node:path";
import { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import { readAssets } from "./assets.mjs";
import { databasesOf } from "./databases.mjs";
import { QUIET, readConfig } from "./local.mjs";

/** The name under which a module around the bundle imports it. */
const BUNDLE = "dastak.js";

/**
 * The module in front of all others, for its two entrypoints. The socket of the service leads to `socket`. Where the
 * service is configured as deployed, this stands for the edge, which ends TLS: the service sees the scheme of its https
 * addresses. Miniflare opens a socket of its own besides, which believes headers that choose another address; it leads
 * to the default entrypoint, which takes events but no request.
 */
const frontOf = (inner, isDeployed) => `
import service from "./${inner}";
export * from "./${inner}";
export default { ...service, fetch: () => new Response(null, { status: 421 }) };
export const socket = {
  fetch(request, env, ctx) {
    ${isDeployed ? 'Object.defineProperty(request, "url", { value: request.url.replace(/^http:/u, "https:") });' : ""}
    return service.fetch(request, env, ctx);
  },
};`;

const byName = (rows, nameOf, valueOf) => Object.fromEntries(rows.map((row) => [nameOf(row), valueOf(row)]));

/** The bindings at the top level of wrangler.toml; under the same ids as `wrangler dev`, so that both have one state. */
function bindingsOf({
  name,
  compatibility_date,
  compatibility_flags,
  durable_objects,
  d1_databases,
  r2_buckets,
  queues,
}) {
  return {
    name,
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    durableObjects: byName(
      durable_objects.bindings,
      (binding) => binding.name,
      (binding) => ({ className: binding.class_name, useSQLite: true }),
    ),
    d1Databases: byName(
      d1_databases,
      (database) => database.binding,
      (database) => ({ id: database.database_id }),
    ),
    r2Buckets: byName(
      r2_buckets,
      (bucket) => bucket.binding,
      (bucket) => ({ id: bucket.bucket_name }),
    ),
    queueProducers: byName(
      queues.producers,
      (producer) => producer.binding,
      (producer) => ({ queueName: producer.queue }),
    ),
    queueConsumers: byName(
      queues.consumers,
      (consumer) => consumer.queue,
      (consumer) => ({
        maxBatchSize: consumer.max_batch_size,
        maxBatchTimeout: consumer.max_batch_timeout,
        maxRetries: consumer.max_retries,
        deadLetterQueue: consumer.dead_letter_queue,
      }),
    ),
  };
}

/**
 * Answers for the binding of static files as the platform does, for a file or the lack of one. They are read once: a build
 * for another service changes nothing for one that runs. Miniflare's own server of them would stand before the service.
 */
function servedAssets() {
  const files = readAssets();
  return ({ url }) => {
    const file = files.get(new URL(url).pathname.slice(1));
    return new Response(file ?? null, { status: file ? 200 : 404 });
  };
}

/**
 * Starts a bundle on a port of 127.0.0.1 over whatever `stateDir` holds; the service answers when this resolves. `around`
 * is the text of a module that imports the bundle from "./dastak.js" and wraps it, `deliverAfterSec` holds
 * back messages from the consumers of the lanes for that long, `histories` is the number of databases of history, and
 * `miniflare` is merged into its options. If the runtime dies, miniflare restarts it.
 *
 * @param {{ port: number, stateDir: string, bundle: string, variables: Record<string, string>, around?: string,
 *   deliverAfterSec?: number | undefined, histories?: number, miniflare?: object }} options
 */
export async function runBundle(options) {
  const { port, stateDir, bundle, variables, around, deliverAfterSec, histories, miniflare = {} } = options;
  Object.assign(process.env, QUIET);
  const config = readConfig();
  const worker = bindingsOf({ ...config, d1_databases: databasesOf(config, histories) });
  worker.serviceBindings = { [config.assets.binding]: servedAssets() };
  for (const lane of ["OTP_LANE", "SINGLE_LANE", "BULK_LANE"]) {
    if (deliverAfterSec !== undefined) worker.queueProducers[lane].deliveryDelay = deliverAfterSec;
  }
  const modules = [{ type: "ESModule", path: BUNDLE, contents: bundle }];
  if (around !== undefined) modules.unshift({ type: "ESModule", path: "around.js", contents: around });
  const front = frontOf(modules[0].path, variables.ENVIRONMENT !== "local");
  modules.unshift({ type: "ESModule", path: "front.js", contents: front });
  const running = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: stateDir,
      port: 0,
      host: "127.0.0.1",
      resourcePersistencePath: path.join(stateDir, "v3"),
      logRequests: false,
      log: new Log(LogLevel.NONE),
      ...miniflare,
      workers: [
        {
          ...worker,
          rootPath: stateDir,
          modulesRoot: ".",
          modules,
          bindings: variables,
          unsafeDirectSockets: [{ host: "127.0.0.1", port, entrypoint: "socket" }],
        },
      ],
    }),
  );
  await running.ready;
  return running;
}
