// Who may import whom in src/: the one table. oxlint.config.ts makes the linter's rules from it, ARCHITECTURE.md shows
// it with what each room is for, and test/process/borders.test.ts holds all three and the imports themselves together.

/** The ground: no Hono, no binding, nothing from above. Every room but the browser's code may import all of it. */
export const GROUND = ["objects", "config", "log", "crypto", "model", "money", "text"];

/**
 * Each room of src/, from top to bottom, with the rooms that its files may import beside their own: always lower ones.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const BORDERS = {
  local: ["worker", "accounts", "db", ...GROUND],
  worker: ["routes", "housekeeping", "durable", "queues", "webhooks", "http", ...GROUND],
  routes: [
    "console",
    "ui",
    "audit",
    "activity",
    "operator",
    "leaving",
    "payments",
    "sign-in",
    "sending",
    "ways",
    "accounts",
    "queues",
    "webhooks",
    "events",
    "inbox",
    "carriers",
    "alerts",
    "routing",
    "http",
    "recordings",
    "speech",
    "search",
    "openapi",
    "dlt",
    ...GROUND,
  ],
  console: ["ui", "sign-in", "audit", "http", ...GROUND],
  // The browser gets no settings, no log and no secret's code.
  client: ["ui", "inbox", "model", "money", "text"],
  ui: [
    "activity",
    "operator",
    "leaving",
    "payments",
    "sending",
    "accounts",
    "queues",
    "webhooks",
    "inbox",
    "alerts",
    "http",
    "search",
    "openapi",
    "samples",
    ...GROUND,
  ],
  housekeeping: ["operator", "leaving", "payments", "sign-in", "audit", "alerts", "accounts", "speech", ...GROUND],
  activity: ["sending", "db", "search", ...GROUND],
  operator: ["accounts", "queues", "webhooks", "carriers", "alerts", "routing", "kept", "http", "db", ...GROUND],
  leaving: ["payments", "sign-in", "audit", "accounts", "inbox", "db", ...GROUND],
  payments: ["audit", "alerts", "http", "db", ...GROUND],
  "sign-in": ["audit", "sending", "accounts", "inbox", "alerts", "http", "db", ...GROUND],
  audit: ["http", "db", ...GROUND],
  sending: ["queues", "kept", "http", ...GROUND],
  ways: ["openapi", "http", ...GROUND],
  accounts: ["alerts", "db", "archive", ...GROUND],
  durable: [
    "queues",
    "webhooks",
    "events",
    "inbox",
    "alerts",
    "routing",
    "archive",
    "search",
    "smpp",
    "dlt",
    ...GROUND,
  ],
  queues: ["inbox", "carriers", "alerts", "routing", "smpp", "recordings", "db", ...GROUND],
  webhooks: ["events", ...GROUND],
  events: [...GROUND],
  inbox: ["carriers", "search", ...GROUND],
  carriers: ["speech", "voices", "recordings", "kept", "http", "smpp", ...GROUND],
  speech: ["voices", "recordings", "http", ...GROUND],
  // Pure data: which voice speaks which language where.
  voices: ["model"],
  alerts: ["db", ...GROUND],
  // Made into documents when the Worker is built; only what serves these is in it.
  openapi: ["http", ...GROUND],
  // Pure: which carriers a message is offered to.
  routing: [...GROUND],
  kept: ["http", ...GROUND],
  http: [...GROUND],
  smpp: [...GROUND],
  recordings: [...GROUND],
  // Pure: how texts fit India's registered templates.
  dlt: [...GROUND],
  db: ["search", ...GROUND],
  archive: [...GROUND],
  search: [...GROUND],
  samples: [],
  objects: ["config", "crypto", "model"],
  config: ["crypto", "model", "money"],
  log: [],
  crypto: ["model"],
  model: ["money"],
  money: ["text"],
  text: [],
};

/** Rooms that are one file; every other is a folder. */
export const FILES = ["worker", "housekeeping", "objects", "log"];

/**
 * Packages that carry a platform or a framework, and the only rooms that may import them.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PACKAGES = {
  "cloudflare:workers": ["durable", "local"],
  "cloudflare:sockets": ["durable"],
  "drizzle-orm": ["db"],
  hono: ["routes", "console", "ui", "sign-in", "audit", "sending", "openapi", "http"],
};

/** The files of a room, as a glob from the root. */
const filesOf = (room) => (FILES.includes(room) ? `src/${room}.ts` : `src/${room}/**`);

/** What an import of a room looks like from outside it. */
const importOf = (room) => (FILES.includes(room) ? `**/${room}.ts` : `**/${room}/**`);

/** One override for each room, that refuses every import the table does not name, of types too. */
export function borderOverrides() {
  return Object.entries(BORDERS).map(([room, may]) => {
    const others = Object.keys(BORDERS).filter((other) => other !== room && !may.includes(other));
    const packages = Object.keys(PACKAGES).filter((name) => !PACKAGES[name]?.includes(room));
    const table = 'ARCHITECTURE.md, "Who may import whom"';
    const patterns = [
      { group: others.map(importOf), message: `src/${room} may import: ${may.join(", ") || "nothing"} (${table}).` },
      {
        group: packages.flatMap((name) => [name, `${name}/**`]),
        message: `Only these rooms import it: ${packages.map((name) => `${name}: ${PACKAGES[name]?.join(" ")}`).join("; ")}.`,
      },
    ];
    if (room === "routes") {
      patterns.push({
        group: ["**/carriers/*", "!**/carriers/table.ts"],
        message: "Routes do not talk to a carrier: they hand over to the account, or to src/carriers/table.ts.",
      });
    }
    return {
      files: [filesOf(room)],
      rules: { "no-restricted-imports": ["error", { patterns: patterns.filter(({ group }) => group.length > 0) }] },
    };
  });
}
