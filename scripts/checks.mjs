// The checks of the gates, each a command of node_modules/.bin that can also be run alone.

/** Built first, because the other checks read it: the browser's files and the list of migrations. */
export const BUILT = { "what the browser gets": "node scripts/build.mjs" };

export const CHECKS = {
  "types are fresh": "wrangler types src/env.d.ts --env production --include-runtime=false --strict-vars=false --check",
  typecheck: "tsc -p tsconfig.json",
  "typecheck of the browser's code": "tsc -p src/client/tsconfig.json",
  "typecheck of the package": "tsc -p sdk/tsconfig.json",
  "typecheck of its command line": "tsc -p sdk/src/cli/tsconfig.json",
  "typecheck of the tests": "tsc -p test/tsconfig.json",
  lint: "oxlint --type-aware --deny-warnings",
  format: "prettier --check --log-level warn .",
};

/** Checked by `npm test` only. */
export const WHOLE = {
  "documents of the API": "node scripts/openapi.mjs --lint",
  "deployable bundle": "wrangler deploy --env production --dry-run --outdir .wrangler/bundle",
};
