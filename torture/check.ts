// Proves from the clients' log, the gateway's log and the service's books that nothing was lost, doubled or miscounted:
// node torture/check.ts DIRECTORY. It shares no code with the service or with the harness that drove it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { readEvidence } from "./check/evidence.ts";
import { casesOf } from "./check/orders.ts";
import { proofsOf } from "./check/proofs.ts";
import { line, story } from "./check/verdict.ts";

const [directory = "."] = process.argv.slice(2);
const evidence = readEvidence(directory);
const proofs = proofsOf(evidence);
const failed = proofs.filter(({ against }) => against.length > 0);
const lines = [...story(evidence, casesOf(evidence).cases), "", ...proofs.flatMap(line)];
lines.push(
  "",
  failed.length === 0 ? "PROVED: everything above holds." : `FAILED: ${failed.length} of ${proofs.length} do not hold.`,
);
writeFileSync(path.join(directory, "verdict.json"), JSON.stringify(proofs, null, 2));
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
