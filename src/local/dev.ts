import { env } from "cloudflare:workers";
import { demoKeys } from "../accounts/open.ts";
import { configOf } from "../config/config.ts";
import { shownSecret } from "./variables.ts";
import service, { complete } from "./worker.ts";

export { Account, CarrierIds, Inbox, Pace, SmppBind } from "./worker.ts";

// The main module of `wrangler dev`: the local Worker, which prints at its start what a developer needs first. Wrangler
// itself prints the address; `npm start` prints its own banner.

const config = configOf(complete(env));
const { apiKey, testKey } = demoKeys(config);

// oxlint-disable-next-line no-console -- for the terminal; it is not a log line.
console.log(`
  Dastak   ${config.CONSOLE_URL}, where one button signs in as the demo customer; ${config.CONSOLE_URL}/inbox shows what was sent
  API key  ${apiKey}
  Test key ${testKey}
  Operator ${shownSecret("OPERATOR_TOKEN", config.OPERATOR_TOKEN)}
`);

/** Lets a page run inline scripts, since wrangler's live reload appends one to it. */
function reloadable(response: Response): Response {
  const policy = response.headers.get("Content-Security-Policy");
  if (policy === null) return response;
  const page = new Response(response.body, response);
  page.headers.set("Content-Security-Policy", policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"));
  return page;
}

/** The local Worker; under `npm run dev`, which sets LIVE_RELOAD, its pages reload after a change. */
export default {
  ...service,
  async fetch(request, own, ctx) {
    const response = await service.fetch(request, own, ctx);
    return "LIVE_RELOAD" in own ? reloadable(response) : response;
  },
} satisfies ExportedHandler<Env>;
