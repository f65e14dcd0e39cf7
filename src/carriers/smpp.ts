import type { Config } from "../config/settings.ts";
import { logProblem } from "../log.ts";
import type { CarrierSecrets, CarrierSetup } from "../model/carrier/carrier.ts";
import type { Operation } from "../model/operations.ts";
import type { SmppBindStanding, SmppSubmitted } from "../smpp/answers.ts";
import { placeOf } from "../objects.ts";
import { BINDS_MAX, SMPP_SECRETS, SMPP_SETTINGS } from "../smpp/settings.ts";
import type { SmppSettings } from "../smpp/settings.ts";
import type { SmppMessage } from "../smpp/submission.ts";
import type { Carrier, Outgoing, Seen } from "./carrier.ts";
import type { Around, Kind } from "./kind.ts";
import { openSecrets } from "./stored.ts";
import type { StoredCarrier } from "./stored.ts";

// The carrier that is spoken to over SMPP 3.4 (contract-carriers §16.3). Its connections are in objects, one for each of
// its binds; this is the way to them.

type Setup = CarrierSetup<SmppSettings>;

const OPERATIONS: ReadonlySet<Operation> = new Set<Operation>(["sms", "sms_international", "otp"]);

/** Nothing was taken, and another bind of the carrier may stand. */
const NO_BIND = new Set(["no_bind", "bind_refused"]);

/** What a call of an object takes beside the waits of the submission itself, in ms. */
const CALL_MS = 10_000;

const bindOf = (env: Env, name: string, n: number) => env.SMPP.getByName(`${name}:${n}`, placeOf(env));

/** What the objects connect with. */
const forBind = ({ settings, secrets }: Setup) => ({ settings, password: secrets["password"] ?? "" });

/** A message in the protocol's terms. */
function messageOf({ ref, to, text, content, dlt }: Outgoing): SmppMessage {
  const { sender, flash } = content;
  return {
    ref,
    to,
    text: text ?? "",
    ...(sender !== undefined && { sender }),
    ...(flash !== undefined && { flash }),
    ...(dlt && { dlt }),
  };
}

/** Where attempts begin: another bind for each, so that all of them carry messages. */
let turn = 0;

/** The numbers of a carrier's binds, in the order in which an attempt asks them. */
function bindsOf(count: number): number[] {
  turn = (turn + 1) % count;
  return Array.from({ length: count }, (_, at) => ((turn + at) % count) + 1);
}

/** The answer of an object; null where none came: the message may have left. */
async function inTime<T>(answering: Promise<T>, limitMs: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), limitMs);
  try {
    return await Promise.race([answering, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** One attempt over one bind, whose object is told the setup where it has none. Throws where the call breaks off. */
async function overBind(env: Env, setup: Setup, n: number, message: SmppMessage, waitMs: number) {
  const stub = bindOf(env, setup.name, n);
  const done = await stub.submit(message, waitMs);
  if (done.outcome.kind !== "not_accepted" || done.outcome.code !== "not_configured") return done;
  return (await stub.configure(forBind(setup), 0)) ? stub.submit(message, waitMs) : done;
}

/** What the operator's test is shown. */
function seenOf({ commandStatus, messageId }: SmppSubmitted): Seen {
  const answer = commandStatus === null ? null : { command_status: commandStatus, message_id: messageId };
  return { answer, carrierId: messageId };
}

function carrier(setup: Setup, { config, env }: Pick<Around, "config" | "env">): Carrier {
  const { name, settings } = setup;
  const waitMs = config.CARRIER_TIMEOUT_MS;
  // The first part, and those after it, each with its wait for a place and for its answer.
  const limitMs = CALL_MS + 2 * (waitMs + settings.response_s * 1_000);
  return {
    name,
    isPaced: true,
    resubmits: false,
    longestMs: waitMs + limitMs,
    operations: OPERATIONS,

    async submit(message, see) {
      if (!OPERATIONS.has(message.operation)) return { kind: "rejected", code: "operation_not_offered" };
      const asked = messageOf(message);
      let refused: SmppSubmitted | null = null;
      const beganMs = Date.now();
      for (const n of bindsOf(settings.binds)) {
        // One that was lost while the message waited for its place: the others have no time for it any more.
        if (Date.now() - beganMs > waitMs) break;
        let done: SmppSubmitted | null = null;
        try {
          done = await inTime(overBind(env, setup, n, asked, waitMs), limitMs);
        } catch (problem) {
          // The object broke off, or its answer was lost: whether the message left is known to none.
          logProblem("smpp bind", problem);
          return { kind: "unknown", code: "connection_broken" };
        }
        if (done === null) return { kind: "unknown", code: "timeout" };
        const { outcome } = done;
        if (outcome.kind !== "not_accepted" || !NO_BIND.has(outcome.code)) {
          see?.(seenOf(done));
          return outcome;
        }
        refused = done;
      }
      return refused?.outcome ?? { kind: "not_accepted", code: "no_bind" };
    },
  };
}

/** The two fields of DLT need two tags. */
function fault({ tlv_entity, tlv_template }: SmppSettings, { password }: CarrierSecrets) {
  if (password === undefined) return { param: "secrets.password", error: "password is required." };
  if (Number(tlv_entity) !== Number(tlv_template)) return null;
  return { param: "settings.tlv_template", error: "tlv_template must differ from tlv_entity." };
}

/** The kind of an SMSC, or of an aggregator's SMPP account. */
export const smpp: Kind<typeof SMPP_SETTINGS> = {
  settings: SMPP_SETTINGS,
  secrets: SMPP_SECRETS,
  fault,
  addresses: () => ({}),
  hosts: ({ host }) => ({ host }),
  carrier,
};

/** How the binds of a stored carrier are set up; null where its settings or secrets cannot be read. */
export function bindSetup(
  { SEAL_SECRET }: Config,
  { name, settings, secrets, tps }: Pick<StoredCarrier, "name" | "settings" | "secrets" | "tps">,
): Setup | null {
  const read = SMPP_SETTINGS.safeParse(settings);
  const opened = openSecrets(SEAL_SECRET, name, secrets);
  return read.success && opened ? { name, kind: "smpp", settings: read.data, secrets: opened, tps } : null;
}

/**
 * Makes the binds of a carrier as the operator set it up, and ends those that it has no more; null: it was deleted, and
 * only receipts are still taken. `atMs`: when that was; an older word than the last changes nothing. Throws where an
 * object cannot be reached; it may be repeated.
 */
export async function setUpBinds(env: Env, name: string, setup: Setup | null, atMs: number): Promise<void> {
  const count = setup?.settings.binds ?? 0;
  const asked = Array.from({ length: BINDS_MAX }, async (_, at) => {
    const stub = bindOf(env, name, at + 1);
    if (setup && at < count) await stub.configure(forBind(setup), atMs);
    else await stub.retire(atMs);
  });
  await Promise.all(asked);
}

/** How the binds of a carrier stand; one whose object cannot be reached is missing. */
export async function bindStandings(env: Env, name: string, count: number): Promise<SmppBindStanding[]> {
  const asked = Array.from({ length: count }, (_, at) => bindOf(env, name, at + 1).standing());
  const answers = await Promise.allSettled(asked);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}
