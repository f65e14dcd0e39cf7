import * as answers from "./answers.ts";
import * as archive from "./archive.ts";
import { attemptsAreSeen } from "./attempts.ts";
import * as delivery from "./delivery.ts";
import type { Evidence } from "./evidence.ts";
import * as money from "./money.ts";
import { casesOf } from "./orders.ts";
import * as pace from "./pace.ts";
import * as patience from "./patience.ts";
import type { Proof } from "./proof.ts";
import * as receipts from "./receipts.ts";
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
    answers.againOnlyAfterNo(evidence, cases),
    answers.unknownIsAskedAgain(evidence),
    attemptsAreSeen(evidence),
    delivery.nothingAfterRefund(evidence),
    answers.statesFollow(evidence, cases),
    patience.failuresHaveReasons(evidence),
    patience.nothingIsForgotten(evidence, cases),
    patience.mostIsSent(evidence, cases),
    pace.silenceIsKept(evidence),
    pace.rateIsKept(evidence),
    pace.otpsGoFirst(evidence, cases),
    receipts.receiptsAreJudged(evidence),
    receipts.receiptsShow(evidence),
    delivery.livesAreLegal(evidence),
    delivery.allIsFinal(evidence),
    delivery.historyIsComplete(evidence),
    archive.archivesAreWhole(evidence),
    archive.nothingIsInBoth(evidence),
    archive.historyForgets(evidence),
    running.recountAgrees(evidence),
    running.memoryIsBounded(evidence),
  ];
}
