import * as answers from "./answers.ts";
import * as archive from "./archive.ts";
import { attemptsAreSeen } from "./attempts.ts";
import * as cancels from "./cancels.ts";
import * as delivery from "./delivery.ts";
import * as events from "./events.ts";
import type { Evidence } from "./evidence.ts";
import * as hooks from "./hooks.ts";
import * as money from "./money.ts";
import { casesOf } from "./orders.ts";
import * as pace from "./pace.ts";
import * as patience from "./patience.ts";
import type { Proof } from "./proof.ts";
import * as quotes from "./quotes.ts";
import * as receipts from "./receipts.ts";
import * as requests from "./requests.ts";
import { routedProofsOf } from "./routed/proofs.ts";
import * as running from "./running.ts";
import * as schedule from "./schedule.ts";

/** All properties to be proved of a run. */
export function proofsOf(evidence: Evidence): Proof[] {
  const { cases, strangers } = casesOf(evidence);
  return [
    requests.nothingLost(cases),
    requests.nothingUnasked(cases, strangers),
    requests.answersFit(evidence, cases),
    requests.replaysAreSame(cases),
    requests.repliesAreTrue(evidence, cases),
    requests.failuresHaveCauses(evidence, cases),
    requests.limitsHold(evidence, cases),
    money.oneDebitEach(evidence, cases),
    money.balancesAreExact(evidence, cases),
    money.creditsAreOnce(evidence),
    money.refundsAreDue(evidence),
    quotes.quotesAreKept(evidence, cases),
    quotes.uselessQuotesAreRefused(evidence, cases),
    cancels.cancelsAreTrue(evidence, cases),
    cancels.cancelledIsGone(evidence, cases),
    schedule.nothingIsEarly(evidence, cases),
    schedule.everyTimeComes(evidence, cases),
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
    events.eventsAreOnce(evidence),
    events.eventsTellLives(evidence),
    events.notesAreTold(evidence),
    hooks.webhooksAreWhole(evidence),
    hooks.webhooksAreSigned(evidence),
    archive.archivesAreWhole(evidence),
    archive.nothingIsInBoth(evidence),
    archive.historyForgets(evidence),
    running.recountAgrees(evidence),
    running.memoryIsBounded(evidence),
    ...routedProofsOf(evidence),
  ];
}
