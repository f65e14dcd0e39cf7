import * as delivery from "./delivery.ts";
import type { Evidence } from "./evidence.ts";
import * as money from "./money.ts";
import { casesOf } from "./orders.ts";
import type { Proof } from "./proof.ts";
import * as requests from "./requests.ts";
import * as running from "./running.ts";

/** All properties to be proved of a run. */
export function proofsOf(evidence: Evidence): Proof[] {
  const { cases, strangers } = casesOf(evidence);
  return [
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
    delivery.nothingIsForgotten(evidence, cases),
    delivery.receiptsAreJudged(evidence),
    delivery.livesAreLegal(evidence),
    delivery.allIsFinal(evidence),
    delivery.historyIsComplete(evidence),
    running.recountAgrees(evidence),
    running.memoryIsBounded(evidence),
  ];
}
