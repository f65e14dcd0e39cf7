import { callbackToken } from "../../../src/carriers/callback-token.ts";
import type { Carrier, Outgoing, NoReceipts, Receipt, Seen } from "../../../src/carriers/carrier.ts";
import { infobip } from "../../../src/carriers/infobip.ts";
import { kannel } from "../../../src/carriers/kannel.ts";
import { anyKind } from "../../../src/carriers/kind.ts";
import { twilio } from "../../../src/carriers/twilio.ts";
import type { Config } from "../../../src/config/settings.ts";
import type { CarrierSecrets } from "../../../src/model/carrier/carrier.ts";

// A Worker with one carrier, for tests against programs that speak its protocol: it submits what it is posted, and keeps
// the receipts that come to the callback address.

const KINDS = { kannel: anyKind(kannel), twilio: anyKind(twilio), infobip: anyKind(infobip) };
const NAME = "relay";
const KEY_SECRET = "a secret of this test, and of no other";

/** What it is posted. */
export interface Submission {
  kind: keyof typeof KINDS;
  settings: object;
  secrets: CarrierSecrets;
  message: Outgoing;
}

const receipts: (Receipt | NoReceipts)[] = [];
let last: Carrier | null = null;

function carrierOf({ kind: name, settings, secrets }: Submission, origin: string): Carrier {
  const kind = KINDS[name];
  const config = { KEY_SECRET, CARRIER_TIMEOUT_MS: 5_000 } as unknown as Config;
  const token = kind.callback === "token" ? `/${callbackToken(KEY_SECRET, NAME)}` : "";
  const read = kind.read(settings, secrets);
  if (!read.ok) throw new Error(`settings at fault: ${JSON.stringify(read)}`);
  const setup = { name: NAME, kind: name, settings: read.settings, secrets, tps: null };
  const made = kind.carrier(setup, { config, env: {} as Env, callbackUrl: `${origin}/callbacks/${NAME}${token}` });
  if (!made) throw new Error("settings that were read are none of their kind");
  return made;
}

async function submit(request: Request): Promise<Response> {
  const submission = await request.json<Submission>();
  last = carrierOf(submission, new URL(request.url).origin);
  let seen: Seen | null = null;
  const outcome = await last.submit(submission.message, (one) => {
    seen = one;
  });
  return Response.json({ outcome, seen });
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/submit") return submit(request);
    if (pathname === "/receipts") return Response.json(receipts);
    const token = pathname.split("/")[3] ?? null;
    const read = (await last?.receipts?.(request, token)) ?? "forged";
    receipts.push(...[read].flat());
    return new Response(null, { status: read === "forged" ? 401 : read === "invalid" ? 400 : 200 });
  },
};
