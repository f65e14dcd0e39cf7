import { GLOBAL } from "../command.ts";
import type { Command } from "../command.ts";
import { SHELLS, scriptFor } from "../completion.ts";
import { STATUS, usage } from "../stop.ts";
import { VERSION } from "../version.ts";

// Commands about commands.

const completion: Command = {
  name: "completion",
  about: "Write the completion of a shell",
  more: "What it offers comes from the program itself, so it is never out of date.",
  args: [{ name: "SHELL", about: "Which", values: SHELLS }],
  options: {},
  examples: [
    "source <(dastak completion bash)",
    "dastak completion zsh > ~/.zfunc/_dastak",
    "dastak completion fish > ~/.config/fish/completions/dastak.fish",
  ],
  run({ out }, given) {
    const shell = SHELLS.find((name) => name === given.arg(0));
    if (!shell) throw usage("There is no such shell.");
    out.text(scriptFor(shell));
  },
};

const commands: Command = {
  name: "commands",
  about: "Describe all commands as JSON, for programs",
  options: {},
  examples: ["dastak commands | jq -r '.commands[].name'"],
  run({ out, commands: all }) {
    const described = all.map(({ run: _run, ...command }) => command);
    const whole = { version: VERSION, exit: { done: 0, ...STATUS }, every: GLOBAL, commands: described };
    out.text(JSON.stringify(whole, null, out.json ? 0 : 2));
  },
};

export const ABOUT = [completion, commands];
