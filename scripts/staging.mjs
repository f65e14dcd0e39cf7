// node scripts/staging.mjs: writes [env.staging] of wrangler.toml anew from [env.production]. test/process/staging.test.ts
// compares the two, so that a binding or a setting of one is not forgotten in the other.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { PLACEHOLDER } from "./databases.mjs";
import { ROOT } from "./local.mjs";

/** The first line of the section, up to the end of the file. */
const BEGIN =
  '# The rehearsal: as [env.production], with names, addresses and ids of its own (docs/deploy.md, "Staging").';

/** The section of wrangler.toml for staging. */
function stagingOf(production) {
  const lines = production
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) =>
      line
        .replace("[env.production", "[env.staging")
        .replace(/^ENVIRONMENT = "production"$/u, 'ENVIRONMENT = "staging"')
        .replaceAll(/"dastak(?=["-])/gu, '"dastak-staging')
        .replaceAll(/(?<=[."/])dastak\.example/gu, "staging.dastak.example"),
    );
  return `${BEGIN}\n${lines
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim()}\n`;
}

/** The whole file with the section made anew. */
export function withStaging(text) {
  const [before = "", old = ""] = text.split(BEGIN);
  const made = [...old.matchAll(/^database_id = "(?<id>[^"]+)"/gmu)].filter(
    ({ groups }) => !PLACEHOLDER.test(groups.id),
  );
  if (made.length > 0) throw new Error("[env.staging] has ids of its own already: edit it by hand, as the test asks");
  const from = before.indexOf("\n[env.production]\n");
  return `${before.trimEnd()}\n\n${stagingOf(before.slice(from))}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const file = path.join(ROOT, "wrangler.toml");
  writeFileSync(file, withStaging(readFileSync(file, "utf8")));
}
