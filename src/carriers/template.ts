import * as z from "zod";
import { logProblem } from "../log.ts";
import type { CarrierSecrets, CarrierSetup } from "../model/carrier/carrier.ts";
import type { Carrier } from "./carrier.ts";
import { exchange, seenOf } from "./exchange.ts";
import type { Around, Kind } from "./kind.ts";
import { SECRET_NAME, valuesOf } from "./template/placeholders.ts";
import { receiptOf, wordsOf } from "./template/receipts.ts";
import { compiled, placeholderFault, requestOf } from "./template/request.ts";
import { idReader, outcomeOf, rulesOf } from "./template/rules.ts";
import { settingsFault, templateSettings } from "./template/settings.ts";
import type { TemplateSettings } from "./template/settings.ts";

// The kind of carriers that are set up by description alone (contract §16.3): what the request looks like, what its
// answers mean, and how its receipts read. presets.ts has descriptions to start from.

const secrets = z
  .record(
    z.string().regex(SECRET_NAME, "A secret's name has up to 32 of a–z, 0–9 and _."),
    z.string().min(1).max(4_000),
  )
  .refine((given) => Object.keys(given).length <= 20, "At most 20 secrets.");

/** The secret that signs receipts. */
const HMAC_KEY = "hmac_key";

function fault(settings: TemplateSettings, given: CarrierSecrets): { param: string; error: string } | null {
  const found = settingsFault(settings) ?? placeholderFault(settings, given);
  if (found) return found;
  const isUnsigned = settings.receipt?.hmac !== undefined && !Object.hasOwn(given, HMAC_KEY);
  return isUnsigned ? { param: `secrets.${HMAC_KEY}`, error: `Signed receipts need the secret ${HMAC_KEY}.` } : null;
}

/** Makes a carrier of settings without a fault: their texts are taken apart once, here. */
function carrier(
  { name, settings, secrets: given }: CarrierSetup<TemplateSettings>,
  { config, callbackUrl, ids }: Around,
): Carrier {
  const request = compiled(settings);
  const rules = rulesOf(settings);
  const readId = idReader(settings.id);
  const { receipt } = settings;
  const words = receipt && wordsOf(receipt);
  const made: Carrier = {
    name,
    isPaced: true,
    resubmits: false,
    operations: new Set(settings.operations),

    async submit(message, see) {
      const asked = requestOf(request, valuesOf(message, callbackUrl, given));
      if (!asked) return { kind: "rejected", code: "unfit_address" };
      const { method } = settings;
      const answer = await exchange({ ...asked, method, timeoutMs: config.CARRIER_TIMEOUT_MS, reads: true });
      const outcome = outcomeOf(rules, answer);
      const id = readId(answer);
      see?.(seenOf(answer, id));
      if (outcome.kind === "submitted" && id !== null && receipt?.id !== undefined) {
        // It was taken, whether or not its receipts can be told apart later.
        await ids?.note(id, message.ref).catch((problem: unknown) => logProblem("carrier_id", problem));
      }
      return outcome;
    },
  };
  if (!receipt || !words) return made;
  const reading = { settings: receipt, hmacKey: given[HMAC_KEY], ids };
  return { ...made, receipts: (received) => receiptOf(received, reading, words) };
}

/** The kind `template`. */
export const template: Kind<typeof templateSettings> = {
  settings: templateSettings,
  secrets,
  fault,
  addresses: ({ url }) => ({ url }),
  callback: "token",
  carrier,
};
