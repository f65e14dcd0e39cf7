/// <reference types="vite/types/importMeta.d.ts" />
import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** What every property and fuzzer of the run draws from (test/setup/global.ts). */
    seed: number;
  }
}

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: unknown;
      KEY_SECRET: string;
      SEAL_SECRET: string;
      OPERATOR_TOKEN: string;
      CARRIER_HTTP_SECRET: string;
    }
  }
}
