// Wraps the bundle, with a database of history that takes no row more while the benchmark says so, as D1 does at its
// limit: writes fail, reads go on. Only history's consumer writes there.

/** Requests to this host say which database is full (`PUT`), and get how many batches it refused since then. */
const HOST = "count.bench";

let full = null;
let refused = 0;

function refuse() {
  refused += 1;
  return Promise.reject(new Error("D1_ERROR: Exceeded maximum DB size: SQLITE_FULL"));
}

function limitedGet(database, name) {
  if (name === "batch") return refuse;
  const value = database[name];
  return typeof value === "function" ? value.bind(database) : value;
}

/** The environment in which the full database refuses each batch. */
function limited(env) {
  if (full === null) return env;
  return { ...env, [full]: new Proxy(env[full], { get: limitedGet }) };
}

export const wrapClass = (Original) => Original;

/** The Worker whose consumers meet the full database. */
export const wrapWorker = (service) => ({
  ...service,
  async fetch(request, env, ctx) {
    if (new URL(request.url).hostname !== HOST) return service.fetch(request, env, ctx);
    if (request.method === "PUT") {
      ({ full } = await request.json());
      refused = 0;
    }
    return Response.json({ refused });
  },
  queue: (batch, env, ctx) => service.queue(batch, limited(env), ctx),
});
