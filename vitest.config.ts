import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// Two kinds of tests: most run inside workerd, beside the objects they test; those in test/process, test/fuzz and
// test/browser drive the started service from outside, as its users do.

/** Random histories of a whole account, with thousands of requests in one test: too slow for `npm run check`. */
const LEFT_TO_NPM_TEST = ["test/durable/account/model.test.ts", "test/payments/model.test.ts"];

/** These queues have no consumer: a test delivers by hand, when, how often and in the order it wants. */
const HELD_QUEUES = {
  OTP_LANE: { queueName: "held-otp" },
  SINGLE_LANE: { queueName: "held-single" },
  BULK_LANE: { queueName: "held-bulk" },
  HISTORY: { queueName: "held-history" },
  WEBHOOKS: { queueName: "held-webhooks" },
};

/** The tests that drive the started service, a browser or a command. */
const OUTSIDE = ["test/{process,fuzz,browser}/**/*.test.ts"];

/** Of these, the ones that measure memory or give the service more to do than it can: one at a time. */
const ALONE = ["test/fuzz/**/*.test.ts", "test/process/{torture,dlt-memory,kill,many-sends}.test.ts"];

const ON_PROCESSES = {
  environment: "node" as const,
  setupFiles: ["./test/setup/process.ts", "./test/setup/seed.ts"],
  testTimeout: 240_000,
  hookTimeout: 120_000,
};

const PROCESS_PROJECTS = [
  {
    test: {
      ...ON_PROCESSES,
      name: "process",
      include: OUTSIDE,
      exclude: ALONE,
      // Most of the time these wait for a runtime, a browser or a clock.
      maxWorkers: 2,
      sequence: { groupOrder: 1 },
    },
  },
  {
    test: { ...ON_PROCESSES, name: "process-alone", include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } },
  },
];

/** The databases and queues that differ from those in wrangler.toml. */
const TEST_BINDINGS = { queueProducers: HELD_QUEUES, d1Databases: { SPARE_HISTORY: "spare" } };

/** The migrations of DB and of history, which the tests apply (test/setup/workers.ts). */
async function testMigrations() {
  const folder = path.join(import.meta.dirname, "migrations");
  return {
    TEST_MIGRATIONS: await readD1Migrations(folder),
    HISTORY_MIGRATIONS: await readD1Migrations(path.join(folder, "history")),
  };
}

export default defineConfig(async () => ({
  test: {
    // The logs of a passing test are dropped; a failing test shows all of its logs.
    silent: "passed-only" as const,
    globalSetup: ["./test/setup/global.ts"],
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml", environment: "production" },
            miniflare: {
              // Sets every variable that a test relies on, so that a developer's .dev.vars changes nothing.
              bindings: {
                ...(await testMigrations()),
                ENVIRONMENT: "local",
                SMS_URL: "http://sms.localhost",
                TTS_URL: "http://tts.localhost",
                VOICE_URL: "http://voice.localhost",
                OTP_URL: "http://otp.localhost",
                CONSOLE_URL: "http://console.localhost",
                CARRIER: "sim",
                PAYMENTS: "sandbox",
                DISPATCH_CONCURRENCY: "50",
                // Each test decides itself when a message is dispatched.
                DIRECT_DISPATCH: "off",
                KEY_SECRET: "local-only-key-secret-of-the-test-suite",
                SEAL_SECRET: "local-only-seal-secret-of-the-test-suite",
                OPERATOR_TOKEN: "local-only-operator-token-of-the-test-suite",
                CARRIER_HTTP_URL: "http://gateway.test/messages",
                CARRIER_HTTP_SECRET: "whsec_bG9jYWwtb25seS1nYXRld2F5LXNlY3JldC0wMDAwMDA=",
              },
              ...TEST_BINDINGS,
              // No test reaches a network: a request that is not mocked gets status 599.
              outboundService: "blocked",
              workers: [
                {
                  name: "blocked",
                  modules: true,
                  compatibilityDate: "2026-08-01",
                  script: `export default { fetch: (r) => new Response("blocked " + r.url, { status: 599 }) }`,
                },
              ],
            },
          }),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/process/**",
            "test/browser/**",
            "test/fuzz/**",
            ...(process.env["CHECK"] === "quick" ? LEFT_TO_NPM_TEST : []),
          ],
          setupFiles: ["./test/setup/workers.ts", "./test/setup/seed.ts"],
          // Only what hangs: a busy machine may be ten times as slow.
          testTimeout: 120_000,
          // One runtime per core, not per file: loading the service takes longer than most files' tests.
          isolate: false,
          maxWorkers: "100%",
        },
      },
      ...PROCESS_PROJECTS,
    ],
  },
}));
