import { startActivity } from "./activity.ts";
import { startBilling } from "./billing.ts";
import { startCode } from "./code.ts";
import { startInbox } from "./inbox.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startPage } from "./page.ts";
import { startSend } from "./send.ts";

// The console's script. It improves pages, and no page requires it.

const PARTS = [startPage, startLive, startSend, startActivity, startKeys, startInbox, startBilling, startCode];
for (const start of PARTS) start();
