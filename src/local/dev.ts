import { env } from "cloudflare:workers";
import { demoKeys } from "../accounts/open.ts";
import { configOf } from "../config.ts";
import { shownSecret } from "./variables.ts";
import { complete } from "./worker.ts";

export { Account, Inbox, default } from "./worker.ts";

// The main module of `wrangler dev`: the local Worker, and at its start the lines that a developer begins with. Wrangler
// prints the address by itself; `npm start` has a banner of its own.

const config = configOf(complete(env));
const { apiKey, testKey } = demoKeys(config);

// oxlint-disable-next-line no-console -- for the terminal, and no line of the log.
console.log(`
  Dastak   ${config.CONSOLE_URL}, where one button signs in as the demo customer; ${config.CONSOLE_URL}/inbox shows what was sent
  API key  ${apiKey}
  Test key ${testKey}
  Operator ${shownSecret("OPERATOR_TOKEN", config.OPERATOR_TOKEN)}
`);
