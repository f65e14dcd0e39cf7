/// <reference types="vite/types/importMeta.d.ts" />
import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of all properties and fuzzers of the run (test/setup/global.ts). */
    seed: number;
  }
}

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: unknown;
      HISTORY_MIGRATIONS: unknown;
      /** A database of history that no binding of the service names. */
      SPARE_HISTORY: D1Database;
      KEY_SECRET: string;
      SEAL_SECRET: string;
      OPERATOR_TOKEN: string;
      CARRIER_HTTP_SECRET: string;
      ACCESS_TEAM_DOMAIN: string;
      ACCESS_AUD: string;
      OPERATORS: string;
      LOG_REQUESTS: string;
      SIGN_IN_COUNTRIES: string;
      CODES_PER_MINUTE: string;
      CODES_PER_DAY: string;
      TURNSTILE_SITE_KEY: string;
      TURNSTILE_SECRET: string;
    }
  }
}
