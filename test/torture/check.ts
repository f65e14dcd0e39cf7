// Proves from the clients' log, the gateway's log and the service's books that nothing was lost, doubled or miscounted:
// node test/torture/check.ts DIRECTORY. It shares no code with the service, nor with what drove it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import * as delivery from "./check/delivery.ts";
import { readEvidence } from "./check/evidence.ts";
import type { Evidence } from "./check/evidence.ts";
import * as money from "./check/money.ts";
import { casesOf } from "./check/orders.ts";
import type { Proof } from "./check/proof.ts";
import * as requests from "./check/requests.ts";
import * as running from "./check/running.ts";
import { line, story } from "./check/verdict.ts";

function proofsOf(evidence: Evidence): { proofs: Proof[]; lines: string[] } {
  const { cases, strangers } = casesOf(evidence);
  const proofs = [
    requests.nothingLost(cases),
    requests.nothingUnasked(cases, strangers),
    requests.answersFit(cases),
    requests.replaysAreSame(cases),
    requests.repliesAreTrue(evidence, cases),
    requests.failuresHaveCauses(evidence, cases),
    requests.limitsHold(evidence, cases),
    money.oneDebitEach(evidence, cases),
    money.balancesAreExact(evidence, cases),
    money.creditsAreOnce(evidence),
    money.refundsAreDue(evidence),
    delivery.oneReferenceEach(evidence, cases),
    delivery.againOnlyAfterNo(evidence),
    delivery.statesFollow(evidence),
    delivery.receiptsAreJudged(evidence),
    delivery.livesAreLegal(evidence),
    delivery.allIsFinal(evidence),
    delivery.historyIsComplete(evidence),
    running.recountAgrees(evidence),
    running.memoryIsBounded(evidence),
  ];
  return { proofs, lines: [...story(evidence, cases), "", ...proofs.flatMap(line)] };
}

const [directory = "."] = process.argv.slice(2);
const { proofs, lines } = proofsOf(readEvidence(directory));
const failed = proofs.filter(({ against }) => against.length > 0);
lines.push(
  "",
  failed.length === 0 ? "PROVED: everything above holds." : `FAILED: ${failed.length} of ${proofs.length} do not hold.`,
);
writeFileSync(path.join(directory, "verdict.json"), JSON.stringify(proofs, null, 2));
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
