import type { Command } from "./command.ts";
import { ABOUT } from "./commands/about.ts";
import { ACCOUNT } from "./commands/account.ts";
import { bulk } from "./commands/bulk.ts";
import { DLT } from "./commands/dlt.ts";
import { doctor } from "./commands/doctor.ts";
import { eventsTail } from "./commands/events.ts";
import { HOOKS } from "./commands/hooks.ts";
import { inbox } from "./commands/inbox.ts";
import { listen } from "./commands/listen.ts";
import { logsTail } from "./commands/logs.ts";
import { mcp } from "./commands/mcp.ts";
import { MESSAGES } from "./commands/messages.ts";
import { preflight } from "./commands/preflight.ts";
import { SENDS } from "./commands/sends.ts";
import { voice } from "./commands/voice.ts";
import { WEBHOOKS } from "./commands/webhooks.ts";

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...ACCOUNT,
  ...SENDS,
  bulk,
  voice,
  preflight,
  inbox,
  ...MESSAGES,
  logsTail,
  eventsTail,
  ...WEBHOOKS,
  ...DLT,
  listen,
  ...HOOKS,
  mcp,
  doctor,
  ...ABOUT,
];
