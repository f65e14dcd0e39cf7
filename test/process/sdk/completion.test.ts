import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { freshDirectory } from "../../../harness/program.ts";
import { installedInto } from "./installed.ts";

// The completion of shells: their scripts, and what a shell offers with them.

let bin: string;
beforeAll(async () => {
  bin = path.join(await installedInto(freshDirectory()), "node_modules/.bin");
});

const env = () => ({ ...process.env, PATH: `${bin}:${process.env["PATH"]}`, XDG_CONFIG_HOME: freshDirectory() });
const has = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

/** What bash offers for these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const script = `source <(dastak completion bash); COMP_WORDS=(dastak ${typed}); COMP_CWORD=${words.length}; _dastak; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync("bash", ["-c", script], { encoding: "utf8", env: env() });
  return text.split("\n").filter((line) => line !== "");
}

/** What fish offers after this text. */
function offeredByFish(typed: string): string[] {
  const script = `dastak completion fish | source; complete -C "${typed}"`;
  const text = execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8", env: env() });
  return text.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

describe("completion", () => {
  it("offers commands, members of a group, options and values", () => {
    expect(offered("")).toEqual(expect.arrayContaining(["balance", "send-sms", "webhooks", "doctor"]));
    expect(offered("send")).toEqual(["send-sms", "send-international-sms"]);
    expect(offered("webhooks", "l")).toEqual(["list", "listen"]);
    expect(offered("messages", "")).toEqual(["get"]);
    expect(offered("send-sms", "--t")).toEqual(["--to", "--text"]);
    expect(offered("--json", "call", "--to", "9876543210", "--voice", "")).toEqual(["male", "female"]);
    expect(offered("completion", "z")).toEqual(["zsh"]);
    expect(offered("balance", "")).toEqual([]);
  });

  it("leaves files to the shell", () => {
    expect(execFileSync(path.join(bin, "dastak"), ["__complete", "bulk", "--csv", ""], { encoding: "utf8" })).toBe(
      ":files\n",
    );
    expect(offered("bulk", "--csv", "")).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("has a script that %s can read, where it is", (shell) => {
    const script = execFileSync(path.join(bin, "dastak"), ["completion", shell], { encoding: "utf8", env: env() });
    expect(script).toContain("__complete");
    if (!has(shell)) return;
    const at = path.join(freshDirectory(), "completion");
    writeFileSync(at, script);
    expect(spawnSync(shell, ["-n", at], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("fish"))("is understood by fish", () => {
    expect(offeredByFish("dastak webhooks l")).toEqual(["list", "listen"]);
    expect(offeredByFish("dastak ")).toContain("balance");
  });
});
