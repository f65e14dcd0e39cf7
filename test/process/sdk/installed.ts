import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../harness/program.ts";

const run = promisify(execFile);

const npm = (cwd: string, ...args: string[]) =>
  run("npm", [...args, "--offline", "--no-audit", "--no-fund", "--no-update-notifier"], { cwd });

/** Packs the package and installs it into an empty project in this directory, which it returns. */
export async function installedInto(project: string): Promise<string> {
  const { stdout } = await npm(path.join(ROOT, "sdk"), "pack", "--silent", "--pack-destination", project);
  const file = stdout.trim().split("\n").at(-1) ?? "";
  writeFileSync(path.join(project, "package.json"), '{ "private": true, "type": "module" }');
  await npm(project, "install", path.join(project, file));
  return project;
}
