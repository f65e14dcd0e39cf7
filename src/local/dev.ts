import { env } from "cloudflare:workers";
import { demoKeys } from "../accounts/open.ts";
import { configOf } from "../config.ts";
import { shownSecret } from "./variables.ts";
import service, { complete } from "./worker.ts";

export { Account, Inbox } from "./worker.ts";

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

/** A page with leave for wrangler's live reload, which appends an inline script to it. */
function reloadable(response: Response): Response {
  const policy = response.headers.get("Content-Security-Policy");
  if (policy === null) return response;
  const page = new Response(response.body, response);
  page.headers.set("Content-Security-Policy", policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"));
  return page;
}

/** The local Worker; under `npm run dev`, which sets LIVE_RELOAD, its pages load anew after a change. */
export default {
  ...service,
  async fetch(request, own, ctx) {
    const response = await service.fetch(request, own, ctx);
    return "LIVE_RELOAD" in own ? reloadable(response) : response;
  },
} satisfies ExportedHandler<Env>;
