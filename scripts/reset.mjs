// npm run reset: wipes the local state.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { STATE_DIR } from "./local.mjs";
import { holderOf } from "./state-lock.mjs";

const refuse = (sentence, code) => {
  console.error(sentence);
  process.exit(code);
};

/** The directory to wipe, as the command line names it. */
function stateDirAsked() {
  try {
    const { values } = parseArgs({ options: { state: { type: "string" } } });
    return path.resolve(values.state ?? STATE_DIR);
  } catch (problem) {
    return refuse(`${problem.message.split(". ")[0]}. Usage: npm run reset -- [--state DIR]`, 2);
  }
}

const stateDir = stateDirAsked();
const holder = holderOf(stateDir);
if (holder) {
  refuse(`Dastak is running on this state (process ${holder.pid}); stop it first.`, 1);
}
// A mistyped directory is not wiped: every state has this folder of the runtime.
if (existsSync(stateDir) && stateDir !== STATE_DIR && !existsSync(path.join(stateDir, "v3"))) {
  refuse(`${stateDir} is not a state directory of Dastak.`, 2);
}
rmSync(stateDir, { recursive: true, force: true });
console.log("The local state is deleted; npm start begins with a new one.");
