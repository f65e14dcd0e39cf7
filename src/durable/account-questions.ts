import { AccountRecordings } from "./account-recordings.ts";

/** The part of an account object that serves the account's own API (contract §13): what became of what was sent. */
export abstract class AccountQuestions extends AccountRecordings {}
