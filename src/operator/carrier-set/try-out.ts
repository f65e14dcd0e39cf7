import type { Outgoing, Seen } from "../../carriers/carrier.ts";
import { CLOSED_SECRETS, carrierSetting, openSecrets } from "../../carriers/stored.ts";
import { builtInSetups, carrierNamed, carrierOf } from "../../carriers/table.ts";
import { configOf } from "../../config/config.ts";
import { PRODUCT } from "../../config/settings.ts";
import { randomId } from "../../crypto/ids.ts";
import { fail } from "../../http/errors.ts";
import type { CarrierAnswer, CarrierSecrets } from "../../model/carrier/carrier.ts";
import type { Outcome } from "../../model/message.ts";
import type { Operation } from "../../model/operations.ts";
import type { SettingWaits } from "../../kept/setting.ts";
import { readPhone } from "../../text/phones.ts";
import { answerWithout, withoutSecrets } from "./hidden.ts";

/** What became of a test message. */
export interface TriedOut {
  outcome: "submitted" | "rejected" | "not_accepted" | "unknown";
  carrierId: string | null;
  code: string | null;
  ms: number;
  answer: CarrierAnswer | null;
}

/** An outcome as the operator is told it: what did not leave was not accepted. */
const outcomeWord = ({ kind }: Outcome): TriedOut["outcome"] =>
  kind === "not_sent" || kind === "released" ? "not_accepted" : kind;

/** Whether a test can go there: a number in E.164, of any country and kind. */
export function isTestNumber(text: string): boolean {
  const read = readPhone(text, "called");
  return text.startsWith("+") && read.ok && read.number === text;
}

/** What a test message is: the first of these that the carrier can send. */
const operationsTo = (to: string): Operation[] => [to.startsWith("+91") ? "sms" : "sms_international", "otp", "tts"];

/** The carrier of a name, as it is stored now, with its secrets. */
async function found(env: Env, ctx: SettingWaits, name: string) {
  const config = configOf(env);
  const builtIn = builtInSetups(config).find((one) => one.name === name);
  if (builtIn) return { carrier: carrierNamed(config, name), secrets: builtIn.secrets };
  const { carriers } = await carrierSetting.stored(env, ctx);
  const stored = carriers.find((one) => one.name === name) ?? fail("not_found", "There is no such carrier.");
  const secrets: CarrierSecrets =
    openSecrets(config.SEAL_SECRET, name, stored.secrets) ?? fail("unavailable", CLOSED_SECRETS);
  return { carrier: carrierOf(env, stored), secrets };
}

/**
 * Sends one real message by a carrier and shows what it answered, without its secrets (contract §16.1). It belongs to no
 * account: nothing is debited or stored, and its receipts name an unknown reference.
 */
export async function tryOut(env: Env, ctx: SettingWaits, name: string, to: string, text?: string): Promise<TriedOut> {
  const { carrier, secrets } = await found(env, ctx, name);
  if (!carrier) return fail("unavailable", "This carrier's settings cannot be read; set it up again.");
  const operation = operationsTo(to).find((one) => carrier.operations.has(one));
  if (!operation) return fail("invalid_request", "This carrier sends no message with a text.", { param: "name" });
  const message: Outgoing = {
    ref: randomId("test"),
    operation,
    to,
    attempt: 1,
    mode: "live",
    text: text ?? `This is a test message from ${PRODUCT}.`,
    content: {},
    audioUrl: null,
  };
  let seen: Seen = { answer: null, carrierId: null };
  const begunMs = Date.now();
  const outcome = await carrier.submit(message, (what) => void (seen = what));
  const ms = Date.now() - begunMs;
  const hidden = (value: string | null | undefined) => (value ?? null) && withoutSecrets(value ?? "", secrets);
  return {
    outcome: outcomeWord(outcome),
    carrierId: hidden(seen.carrierId),
    code: hidden("code" in outcome ? outcome.code : null),
    ms,
    answer: answerWithout(seen.answer, secrets),
  };
}
