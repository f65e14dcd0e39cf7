import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { getLibFiles, ts } from "@ts-morph/common";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT, freshDirectory } from "../../../harness/program.ts";
import { installedInto } from "./installed.ts";

// Programs of users are compiled with the packed package's types, by the compilers of 5.9 and 7, with all declarations
// checked, the package's too.

const run = promisify(execFile);
const CONSUMERS = path.join(import.meta.dirname, "consumer");

/** What a project may have: only the language's library, or the globals of a platform. */
const PLATFORMS: Record<string, { lib: string[]; types: string[]; files: string[] }> = {
  "the language alone": { lib: ["es2022"], types: [], files: ["plain.ts"] },
  "the DOM": { lib: ["es2022", "dom", "dom.iterable"], types: [], files: ["plain.ts", "globals.ts"] },
  Node: { lib: ["es2022"], types: ["node"], files: ["plain.ts", "globals.ts", "readme.ts"] },
  Workers: { lib: ["es2022"], types: ["@cloudflare/workers-types"], files: ["plain.ts", "globals.ts"] },
};

let project: string;

beforeAll(async () => {
  project = await installedInto(freshDirectory());
  writeFileSync(path.join(project, "readme.ts"), readmeProgram());
  for (const file of ["plain.ts", "globals.ts"]) copyFileSync(path.join(CONSUMERS, file), path.join(project, file));
  // The compiler of 5.9 has the language's library inside it.
  mkdirSync(path.join(project, "lib"));
  for (const { fileName, text } of getLibFiles()) writeFileSync(path.join(project, "lib", fileName), text);
  // The declarations of the platforms, which refer to packages beside them.
  for (const name of ["@types", "@cloudflare", "undici-types"]) {
    symlinkSync(path.join(ROOT, "node_modules", name), path.join(project, "node_modules", name));
  }
});

/** Writes the settings of a project, and returns their file. */
function configure(name: string, moduleResolution: "bundler" | "nodenext"): string {
  const { files, ...platform } = PLATFORMS[name] ?? expect.fail(name);
  const compilerOptions = {
    ...platform,
    target: "es2022",
    module: moduleResolution === "bundler" ? "esnext" : "nodenext",
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    noUncheckedIndexedAccess: true,
    // The platforms' own declarations are not ours to check.
    skipLibCheck: platform.types.length > 0,
    noEmit: true,
  };
  const file = path.join(project, "tsconfig.json");
  writeFileSync(file, JSON.stringify({ compilerOptions, files }));
  return file;
}

/** What the compiler of 5.9 says. */
function faultsBy59(file: string): string[] {
  const { config } = ts.readConfigFile(file, (name) => ts.sys.readFile(name)) as { config: unknown };
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, project);
  const host = ts.createCompilerHost(parsed.options);
  host.getDefaultLibLocation = () => path.join(project, "lib");
  const program = ts.createProgram(parsed.fileNames, parsed.options, host);
  const found = [...parsed.errors, ...ts.getPreEmitDiagnostics(program)];
  return found.map(({ messageText, file: at, start }) => {
    const line = at && start !== undefined ? at.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${at?.fileName ?? ""}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** What the samples of the README use of their program. */
const AROUND = `
declare const phone: string, message: string, idempotencyKey: string, newSecret: string, oldSecret: string;
declare const order: { id: string };
declare const queue: { repeatLater(key: string | undefined): void };
declare function buyCoins(): void;
declare function show(...parts: (string | undefined)[]): void;
declare function load(): Promise<number>;
declare function handle(event: AccountEvent): Promise<void>;
declare function save(seq: number): Promise<void>;
declare function delivered(id: string): Promise<void>;
`;

/** The samples of the README as one program: each but the first, which makes the client, in a function of its own. */
function readmeProgram(): string {
  const readme = readFileSync(path.join(ROOT, "sdk/README.md"), "utf8");
  const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```/gu)].map(([, text = ""]) => text);
  const bodies = samples.map((text) => text.replaceAll(/^import .*$/gmu, "").replace("export default", "return"));
  const [first = "", ...others] = bodies;
  const functions = others.map((text, at) => `export async function sample${at}() {\n${text}}`);
  const imports =
    'import { DastakError, dastak, verifyWebhook } from "dastak";\nimport type { AccountEvent } from "dastak";';
  return [imports, AROUND, first, ...functions].join("\n");
}

describe.each(Object.keys(PLATFORMS))("with %s", (name) => {
  describe.each(["bundler", "nodenext"] as const)("resolved as by %s", (resolution) => {
    it("compiles under TypeScript 5.9", () => {
      expect(ts.version).toMatch(/^5\.9\./u);
      expect(faultsBy59(configure(name, resolution))).toEqual([]);
    });

    it("compiles under TypeScript 7", async () => {
      configure(name, resolution);
      const tsc = path.join(ROOT, "node_modules/.bin/tsc");
      const { stdout } = await run(tsc, ["-p", project], { cwd: project }).catch(
        (problem: { stdout: string }) => problem,
      );
      expect(stdout).toBe("");
    });
  });
});
