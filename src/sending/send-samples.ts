import type { Config } from "../config/settings.ts";
import { ENDPOINTS } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { curlOf, keyHeader, reachableUrl } from "./curl.ts";
import { SENDS, bodyOf } from "./send-kinds.ts";
import type { Typed } from "./send-kinds.ts";

// The API request that does the same as a form.

/** A longer list would be a longer command than systems accept (128 KiB for one argument in Linux). */
const RECIPIENTS_SHOWN = 100;

/** A form as a command. */
export interface Sample {
  command: string;
  /** How many recipients are left out of it. */
  left: number;
}

/** A curl command that does what the form would do now; the key comes from a shell variable. */
export function sampleOf(config: Config, kind: SendKind, typed: Typed): Sample {
  const filled = Object.entries(typed).filter(([, value]) => value.trim() !== "");
  const body = bodyOf(kind, { ...SENDS[kind].example, ...Object.fromEntries(filled) });
  const { recipients } = body;
  const all = Array.isArray(recipients) ? recipients.length : 0;
  if (Array.isArray(recipients)) body["recipients"] = recipients.slice(0, RECIPIENTS_SHOWN);
  const endpoint = ENDPOINTS[kind];
  const command = curlOf({ url: reachableUrl(config, endpoint), auth: keyHeader(endpoint), body }, 2);
  return { command, left: Math.max(0, all - RECIPIENTS_SHOWN) };
}
