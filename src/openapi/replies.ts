import type * as z from "zod";
import { DLT } from "./replies/dlt.ts";
import { EVENTS } from "./replies/events.ts";
import { OPERATOR_ACCOUNTS } from "./replies/operator-accounts.ts";
import { OPERATOR_CARRIERS } from "./replies/operator-carriers.ts";
import { OPERATOR_SERVICE } from "./replies/operator-service.ts";
import { PREFLIGHT } from "./replies/preflight.ts";
import { ACCOUNT, MESSAGES } from "./replies/messages.ts";
import { RECORDINGS, TEST_INBOX } from "./replies/recordings.ts";
import { WEBHOOKS } from "./replies/webhooks.ts";
import { SENDING } from "./replies/sending.ts";

// The reply of each operation, by the name that `docs` gives it. An area has a file in `replies/` and a line here. Nothing
// in the Worker reads this: the routes make their replies, and test/process/drift.test.ts compares the two.

export const REPLIES: Readonly<Record<string, z.ZodType>> = {
  ...SENDING,
  ...PREFLIGHT,
  ...MESSAGES,
  ...ACCOUNT,
  ...DLT,
  ...EVENTS,
  ...RECORDINGS,
  ...TEST_INBOX,
  ...WEBHOOKS,
  ...OPERATOR_ACCOUNTS,
  ...OPERATOR_CARRIERS,
  ...OPERATOR_SERVICE,
};
