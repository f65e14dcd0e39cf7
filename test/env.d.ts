/// <reference types="vite/types/importMeta.d.ts" />

declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: unknown;
    KEY_SECRET: string;
    SEAL_SECRET: string;
    OPERATOR_TOKEN: string;
    CARRIER_HTTP_SECRET: string;
  }
}
