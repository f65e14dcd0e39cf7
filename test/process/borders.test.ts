import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BORDERS, FILES, GROUND, PACKAGES } from "../../scripts/borders.mjs";

// The import rules between the rooms (top-level folders and files) of src/: the table, the linter that enforces it,
// ARCHITECTURE.md, which shows it, and the actual imports. One run of the linter checks a violation of each rule, which
// is planted in a scratch tree.

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROOMS = Object.keys(BORDERS);

/** Maximum of files in one folder; a folder with more holds two topics. */
const FOLDER_FILES_MAX = 24;
/** Folders with one file per page, word list or font: these may be larger. */
const COLLECTIONS = ["src/routes/console", "src/ui/words", "src/ui/fonts"];
/** Maximum of lines in one file, with comments and blank lines; oxlint.config.ts has the same limit for TypeScript. */
const FILE_LINES_MAX = 300;
/** The folders of hand-written code; documents have no limit. */
const SOURCE_FOLDERS = ["src", "test", "torture", "harness", "bench", "scripts"];

/** The linter prints a message for each of thousands of planted violations. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const fileOf = (room: string, name: string) => (FILES.includes(room) ? `src/${room}.ts` : `src/${room}/${name}.ts`);
const roomOf = (file: string) => file.split("/")[1]?.replace(/\.tsx?$/u, "") ?? "";

interface Finding {
  code: string;
  filename: string;
  message: string;
}

/** The linter's findings in a tree, by the configuration in that tree. */
function lint(tree: string): Finding[] {
  const oxlint = path.join(ROOT, "node_modules/.bin/oxlint");
  const { stdout, stderr } = spawnSync(oxlint, ["--format", "json", "src"], {
    cwd: tree,
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as { diagnostics: Finding[] }).diagnostics;
}

const RESTRICTED = "eslint(no-restricted-imports)";
const CYCLE = "import(no-cycle)";

let scratch = "";
let found: Finding[] = [];
/** Files with a refused import. */
let refused = new Set<string>();

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(scratch, file)), { recursive: true });
  writeFileSync(path.join(scratch, file), text);
}

/** All forms of import; the linter must check each of them. */
const WAYS: Readonly<Record<string, (from: string) => string>> = {
  value: (from) => `import { planted } from "${from}";\nplanted();\n`,
  type: (from) => `import type { Planted } from "${from}";\nexport type Own = Planted;\n`,
  again: (from) => `export { planted } from "${from}";\n`,
  late: (from) => `export const planted = () => import("${from}");\n`,
};

/** A planted import: a file in `room`, and the room or package that it imports. */
interface Planted {
  room: string;
  other: string;
  file: string;
}

const planted: Planted[] = [];

/** Plants an import of `specifier` in each form, in a room's folder and in a subfolder of it. */
function plantImports(room: string, other: string, specifier: (up: string) => string): void {
  if (FILES.includes(room)) return;
  for (const [way, text] of Object.entries(WAYS)) {
    for (const folder of ["", "deep/"]) {
      const file = fileOf(room, `${folder}${way}-${other.replace(/\W/gu, "-")}`);
      plant(file, text(specifier(folder === "" ? "../" : "../../")));
      planted.push({ room, other, file });
    }
  }
}

const isRefused = ({ file }: Pick<Planted, "file">) => refused.has(file);

const isAllowed = ({ room, other }: Planted) =>
  (PACKAGES[other] ?? []).includes(room) || BORDERS[room]?.includes(other) === true;

beforeAll(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), "dastak-borders-"));
  for (const file of ["oxlint.config.ts", "scripts/borders.mjs"]) {
    cpSync(path.join(ROOT, file), path.join(scratch, file));
  }
  for (const room of ROOMS) {
    for (const other of ROOMS.filter((one) => one !== room)) {
      plantImports(room, other, (up) => `${up}${fileOf(other, "planted").slice("src/".length)}`);
    }
    for (const name of Object.keys(PACKAGES)) plantImports(room, name, () => name);
  }
  // A room that is a single file imports all others at once, allowed and refused ones.
  for (const room of FILES) {
    const all = ROOMS.filter((one) => one !== room).map((one) => fileOf(one, "planted").slice("src/".length));
    plant(fileOf(room, ""), all.map((from, at) => `export { planted as p${at} } from "./${from}";\n`).join(""));
  }
  plant("src/routes/carrier.ts", WAYS["value"]?.("../carriers/sim.ts") ?? "");
  plant("src/routes/deep/carrier.ts", WAYS["type"]?.("../../carriers/http.ts") ?? "");
  plant("src/routes/table.ts", WAYS["value"]?.("../carriers/table.ts") ?? "");
  plant("src/text/one.ts", `import type { Two } from "./two.ts";\nexport type One = Two[];\n`);
  plant("src/text/two.ts", `import type { One } from "./one.ts";\nexport type Two = One[];\n`);
  found = lint(scratch);
  refused = new Set(found.flatMap(({ code, filename }) => (code === RESTRICTED ? [filename] : [])));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe("the linter", () => {
  it("refuses a planted import exactly where the table does not allow it, also type and dynamic imports", () => {
    // Without routes → carriers, of which only one file may be imported; a test below checks that.
    const whole = planted.filter(({ room, other }) => room !== "routes" || other !== "carriers");
    expect(whole.filter((one) => isRefused(one) === isAllowed(one)).map(({ file }) => file)).toEqual([]);
    expect(whole.filter(isRefused).length).toBeGreaterThan(1_000);
  });

  it.each(FILES)("refuses in the file %s every import that the table does not allow", (room) => {
    const named = found
      .filter(({ code, filename }) => code === RESTRICTED && filename === fileOf(room, ""))
      .map(({ message }) => roomOf(`src/${/'\.\/([^']+)'/u.exec(message)?.[1] ?? ""}`));
    const others = ROOMS.filter((other) => other !== room && !BORDERS[room]?.includes(other));
    expect(named.toSorted()).toEqual(others.toSorted());
  });

  it("lets routes import carriers only through carriers/table.ts", () => {
    const files = ["carrier", "deep/carrier", "table"].map((name) => `src/routes/${name}.ts`);
    expect(files.map((file) => isRefused({ file }))).toEqual([true, true, false]);
  });

  it("refuses an import cycle, also one of types", () => {
    const circle = found.flatMap(({ code, filename }) => (code === CYCLE ? [filename] : []));
    expect(circle.filter((file) => !FILES.map((room) => fileOf(room, "")).includes(file)).toSorted()).toEqual([
      "src/text/one.ts",
      "src/text/two.ts",
    ]);
  });

  it("finds no violation in the repository", () => {
    const breaches = lint(ROOT).filter(({ code }) => code === RESTRICTED || code === CYCLE);
    expect(breaches.map(({ filename, message }) => `${filename}: ${message}`)).toEqual([]);
  });
});

const linesOf = (file: string) => readFileSync(path.join(ROOT, file), "utf8").split("\n").length - 1;

const SOURCES = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => file !== "src/env.d.ts");

/** The other rooms that each room imports. */
function arrows(): Map<string, Set<string>> {
  const found = new Map(ROOMS.map((room) => [room, new Set<string>()]));
  for (const file of SOURCES) {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    for (const [, from = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/gu)) {
      const other = roomOf(path.posix.join(path.posix.dirname(file), from));
      if (other !== roomOf(file)) found.get(roomOf(file))?.add(other);
    }
  }
  return found;
}

/** These rooms without those of the ground. */
const above = (names: Iterable<string>) => [...names].filter((name) => !GROUND.includes(name)).toSorted();

describe("the rooms", () => {
  it("are exactly those in the table", () => {
    const entries = readdirSync(path.join(ROOT, "src")).filter((name) => name !== "env.d.ts");
    expect(entries.map((name) => name.replace(/\.ts$/u, "")).toSorted()).toEqual(ROOMS.toSorted());
  });

  it("import only rooms that are below them in the table, so that there is no cycle of rooms", () => {
    const back = ROOMS.flatMap((room, at) =>
      (BORDERS[room] ?? []).filter((other) => ROOMS.indexOf(other) <= at).map((other) => `${room} → ${other}`),
    );
    expect(back).toEqual([]);
    expect(ROOMS.slice(-GROUND.length)).toEqual(GROUND);
  });

  it("use every import that the table allows, and no other", () => {
    for (const [room, used] of arrows()) {
      expect(above(used), `what src/${room} imports`).toEqual(above(BORDERS[room] ?? []));
    }
  });

  it("have no folder with more files than the limit", () => {
    const counts = new Map<string, number>();
    for (const file of globSync("src/**/*.*", { cwd: ROOT })) {
      counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
    }
    const full = [...counts].filter(([folder, files]) => files > FOLDER_FILES_MAX && !COLLECTIONS.includes(folder));
    expect(full).toEqual([]);
  });

  it("hold no file with more than 300 lines, style sheets and scripts included", () => {
    const files = SOURCE_FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs,js,css}`, { cwd: ROOT }));
    expect(files.filter((file) => file.endsWith(".css")).length).toBeGreaterThan(10);
    expect(files.map((file) => [file, linesOf(file)] as const).filter(([, lines]) => lines > FILE_LINES_MAX)).toEqual(
      [],
    );
  });

  it("are listed in ARCHITECTURE.md with the same imports", () => {
    const text = readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8");
    const [, section = ""] = text.split(/^## Who may import whom$/mu);
    const rows = [...section.matchAll(/^\| `([a-z-]+)` +\|[^|]*\|([^|]*)\|$/gmu)].map(([, room = "", cell = ""]) => {
      const names = cell.trim().replace("the ground", GROUND.join(", "));
      return [room, names === "nothing" ? [] : names.split(", ")] as const;
    });
    expect(rows.map(([room]) => room)).toEqual(ROOMS);
    expect(Object.fromEntries(rows)).toEqual(BORDERS);
  });
});
