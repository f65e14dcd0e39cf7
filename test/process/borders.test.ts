import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BORDERS, FILES, GROUND, PACKAGES } from "../../scripts/borders.mjs";

// The borders between the rooms of src/: the table, the linter that refuses every import beyond it, the page that shows
// it, and the imports that are there. One run of the linter sees a breach of each border, planted in a tree beside this one.

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROOMS = Object.keys(BORDERS);

/** Files of one folder; more than that is two topics. */
const FOLDER_FILES_MAX = 24;
/** Folders of like things, where more files are no second topic: pages, word lists, fonts. */
const COLLECTIONS = ["src/routes/console", "src/ui/words", "src/ui/fonts"];
/** Lines of one file, comments and blank lines included; oxlint.config.ts says the same of what the linter reads. */
const FILE_LINES_MAX = 300;
/** The folders of what is written by hand; documents are as long as they are. */
const SOURCE_FOLDERS = ["src", "test", "torture", "harness", "bench", "scripts"];

/** Thousands of planted breaches, each with a sentence. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const fileOf = (room: string, name: string) => (FILES.includes(room) ? `src/${room}.ts` : `src/${room}/${name}.ts`);
const roomOf = (file: string) => file.split("/")[1]?.replace(/\.tsx?$/u, "") ?? "";

interface Finding {
  code: string;
  filename: string;
  message: string;
}

/** What the linter finds in a tree, by the configuration that lies in it. */
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
/** Files with an import that a border refuses. */
let refused = new Set<string>();

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(scratch, file)), { recursive: true });
  writeFileSync(path.join(scratch, file), text);
}

/** The ways in which a file reaches another; the linter must know each. */
const WAYS: Readonly<Record<string, (from: string) => string>> = {
  value: (from) => `import { planted } from "${from}";\nplanted();\n`,
  type: (from) => `import type { Planted } from "${from}";\nexport type Own = Planted;\n`,
  again: (from) => `export { planted } from "${from}";\n`,
  late: (from) => `export const planted = () => import("${from}");\n`,
};

/** One planted import: a file of `room`, and the room or package that it imports. */
interface Planted {
  room: string;
  other: string;
  file: string;
}

const planted: Planted[] = [];

/** Plants an import of `specifier` into a folder, in each way, and one folder deeper as well. */
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
  // A room of one file: everything that it must not import, and beside it everything that it may.
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
  it("refuses a planted import exactly where the table does not allow it, also of types, and late ones", () => {
    // A room that may be imported may still keep files to itself: routes reach carriers by their table alone.
    const whole = planted.filter(({ room, other }) => room !== "routes" || other !== "carriers");
    expect(whole.filter((one) => isRefused(one) === isAllowed(one)).map(({ file }) => file)).toEqual([]);
    expect(whole.filter(isRefused).length).toBeGreaterThan(1_000);
  });

  it.each(FILES)("refuses in the file %s what the table does not allow", (room) => {
    const named = found
      .filter(({ code, filename }) => code === RESTRICTED && filename === fileOf(room, ""))
      .map(({ message }) => roomOf(`src/${/'\.\/([^']+)'/u.exec(message)?.[1] ?? ""}`));
    const others = ROOMS.filter((other) => other !== room && !BORDERS[room]?.includes(other));
    expect(named.toSorted()).toEqual(others.toSorted());
  });

  it("lets routes reach carriers by their table alone", () => {
    const files = ["carrier", "deep/carrier", "table"].map((name) => `src/routes/${name}.ts`);
    expect(files.map((file) => isRefused({ file }))).toEqual([true, true, false]);
  });

  it("refuses a circle, also one of types", () => {
    const circle = found.flatMap(({ code, filename }) => (code === CYCLE ? [filename] : []));
    expect(circle.filter((file) => !FILES.map((room) => fileOf(room, "")).includes(file)).toSorted()).toEqual([
      "src/text/one.ts",
      "src/text/two.ts",
    ]);
  });

  it("finds nothing of the kind in the tree as it is", () => {
    const breaches = lint(ROOT).filter(({ code }) => code === RESTRICTED || code === CYCLE);
    expect(breaches.map(({ filename, message }) => `${filename}: ${message}`)).toEqual([]);
  });
});

const linesOf = (file: string) => readFileSync(path.join(ROOT, file), "utf8").split("\n").length - 1;

const SOURCES = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => file !== "src/env.d.ts");

/** The rooms that each room's files import, beside their own. */
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

/** The rooms among these that are no ground, which is open as a whole. */
const above = (names: Iterable<string>) => [...names].filter((name) => !GROUND.includes(name)).toSorted();

describe("the rooms", () => {
  it("are all in the table, and the table has no others", () => {
    const entries = readdirSync(path.join(ROOT, "src")).filter((name) => name !== "env.d.ts");
    expect(entries.map((name) => name.replace(/\.ts$/u, "")).toSorted()).toEqual(ROOMS.toSorted());
  });

  it("import only what is below them: no arrow runs back, so there is no circle of rooms", () => {
    const back = ROOMS.flatMap((room, at) =>
      (BORDERS[room] ?? []).filter((other) => ROOMS.indexOf(other) <= at).map((other) => `${room} → ${other}`),
    );
    expect(back).toEqual([]);
    expect(ROOMS.slice(-GROUND.length)).toEqual(GROUND);
  });

  it("use every border that the table opens", () => {
    for (const [room, used] of arrows()) {
      expect(above(used), `what src/${room} imports`).toEqual(above(BORDERS[room] ?? []));
    }
  });

  it("are no drawers: no folder holds more files than a topic has", () => {
    const counts = new Map<string, number>();
    for (const file of globSync("src/**/*.*", { cwd: ROOT })) {
      counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
    }
    const full = [...counts].filter(([folder, files]) => files > FOLDER_FILES_MAX && !COLLECTIONS.includes(folder));
    expect(full).toEqual([]);
  });

  it("hold no file of more lines than a reader keeps in mind, style sheets and scripts included", () => {
    const files = SOURCE_FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs,js,css}`, { cwd: ROOT }));
    expect(files.filter((file) => file.endsWith(".css")).length).toBeGreaterThan(10);
    expect(files.map((file) => [file, linesOf(file)] as const).filter(([, lines]) => lines > FILE_LINES_MAX)).toEqual(
      [],
    );
  });

  it("are shown in ARCHITECTURE.md as they are", () => {
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
