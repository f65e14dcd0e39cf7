import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, freshDirectory } from "../../harness/program.ts";
import { SENTENCE, reset, run, start } from "./commands.ts";

// npm start with a command line or a state that cannot work, and npm run reset.

describe("a command line that cannot work gets one sentence", () => {
  const none = path.join(ROOT, "test", "process", "no-such-directory");
  const cases: [string, string[], RegExp][] = [
    ["an unknown setting", ["--set", "COLOUR=blue"], /There is no setting COLOUR/u],
    ["a setting without =", ["--set", "CARRIER"], /--set takes KEY=VALUE/u],
    ["a port that is none", ["--port", "http"], /--port must be a number/u],
    ["a port that does not exist", ["--port", "70000"], /--port must be a number/u],
    ["an unknown option", ["--prot", "8080"], /--prot/u],
    ["a value of the wrong kind", ["--set", "SWEEP_MS=soon"], /SWEEP_MS/u],
    ["a gateway without an address", ["--set", "CARRIER=http"], /CARRIER_HTTP_URL is missing/u],
    ["demo secrets in production", ["--set", "ENVIRONMENT=production"], /KEY_SECRET is a demo secret/u],
    ["http in production", ["--set", "ENVIRONMENT=production"], /CONSOLE_URL must be https/u],
    [
      "an address that others can reach",
      ["--set", "CONSOLE_URL=http://dastak.example"],
      /CONSOLE_URL must be on this/u,
    ],
  ];

  it.each(cases)("%s", async (_name, args, fault) => {
    const { code, output } = await run([path.join(ROOT, "scripts", "start.mjs"), "--state", none, ...args]);
    expect(output).toMatch(fault);
    expect(output.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(2);
    expect(existsSync(none)).toBe(false);
  });

  it("a state that is a file", async () => {
    const file = path.join(freshDirectory(), "state");
    writeFileSync(file, "");
    const { code, output } = await start({ state: file });
    expect(output).toMatch(SENTENCE);
    expect(code).toBe(2);
  });
});

describe("npm run reset", () => {
  it("wipes the default state, and does not mind that there is none", async () => {
    // In a copy of the repository, because the default state of this one may be in use.
    const copy = freshDirectory();
    for (const part of ["scripts", "src", "package.json"]) {
      cpSync(path.join(ROOT, part), path.join(copy, part), { recursive: true });
    }
    symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
    const state = path.join(copy, ".wrangler", "state");
    mkdirSync(path.join(state, "v3"), { recursive: true });
    for (let time = 0; time < 2; time++) {
      const { code, output } = await run([path.join(copy, "scripts", "reset.mjs")], copy);
      expect([code, output]).toEqual([0, "The local state is deleted; npm start begins with a new one.\n"]);
      expect(existsSync(state)).toBe(false);
    }
  });

  it("does not wipe a directory that is no state", async () => {
    const other = freshDirectory();
    writeFileSync(path.join(other, "letter.txt"), "dear");
    const { code, output } = await reset(other);
    expect(code).toBe(2);
    expect(output).toMatch(SENTENCE);
    expect(existsSync(path.join(other, "letter.txt"))).toBe(true);
  });
});
