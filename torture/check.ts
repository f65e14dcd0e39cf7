// Proves from the clients' log, the gateway's log and the service's books that nothing was lost, doubled or miscounted:
// node torture/check.ts DIRECTORY. It shares no code with the service or with the harness that drove it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { casesOf } from "./check/orders.ts";
import { proofsOf } from "./check/proofs.ts";
import { readEvidence } from "./check/read-evidence.ts";
import { line, story, verdictOn } from "./check/verdict.ts";

const [directory = "."] = process.argv.slice(2);
const evidence = readEvidence(directory);
const proofs = proofsOf(evidence);
const verdict = verdictOn(proofs);
const lines = [...story(evidence, casesOf(evidence).cases), "", ...proofs.flatMap(line), "", verdict.text];
writeFileSync(path.join(directory, "verdict.json"), JSON.stringify(proofs, null, 2));
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = verdict.proved ? 0 : 1;
