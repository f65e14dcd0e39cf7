import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { bundleService } from "../harness/service.mjs";

// A next release: this one's source, with one more step of the accounts' schema. It is additive, as the step of any
// release must be that can be rolled back (CONTRIBUTING.md, "Storage changes").

const STEP = `
  ALTER TABLE account ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';
  ALTER TABLE job ADD COLUMN note TEXT NOT NULL DEFAULT 'of the next release';
  ALTER TABLE ledger_entry ADD COLUMN series TEXT;
  ALTER TABLE idempotency ADD COLUMN made_by INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE recording ADD COLUMN place TEXT;
  ALTER TABLE key ADD COLUMN note TEXT;
  ALTER TABLE receipt_journal ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE archive_file ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
  CREATE TABLE later (id INTEGER PRIMARY KEY);
  CREATE INDEX job_note ON job (note, seq);
`;

const STEPS = /\bsteps: MIGRATIONS\b/gu;

const oneStepMore: Plugin = {
  name: "next-release",
  setup(build) {
    build.onLoad({ filter: /\/src\/durable\/account\/schema\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      if (source.match(STEPS)?.length !== 1) throw new Error(`${path} lists its steps in another way`);
      return { contents: source.replace(STEPS, () => `steps: [...MIGRATIONS, ${JSON.stringify(STEP)}]`), loader: "ts" };
    });
  },
};

/** The source text of the next release's bundle. */
export const bundleNextRelease = (): Promise<string> => bundleService([oneStepMore]);
