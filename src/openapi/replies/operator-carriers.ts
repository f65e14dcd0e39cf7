import * as z from "zod";
import { CARRIER_KINDS } from "../../model/carrier/carrier.ts";
import { OPERATION_NAMES } from "../../model/operations.ts";
import { listOf, success, time } from "./fields.ts";

// The operator API: carriers and routes (contract §16).

const kind = z.enum(CARRIER_KINDS);
const settings = z.record(z.string(), z.unknown()).meta({ description: "Those of its kind, with their defaults." });
const secrets = z.array(z.string()).meta({ description: "Their names.", examples: [["secret"]] });
const tps = z.number().nullable().meta({ description: "Messages that it takes in a second; null: it is learned." });

const bind = z.object({
  n: z.int().meta({ description: "Its number among the carrier's binds, from 1." }),
  mode: z.enum(["trx", "tx", "rx"]),
  state: z.enum(["bound", "down", "refused"]),
  since: time,
  in_flight: z.int().meta({ description: "Submissions without an answer." }),
});

const health = z
  .object({
    state: z.enum(["up", "trial", "out"]).meta({
      description: "`out`: messages that have another carrier pass it over; `trial`: one at a time tries it.",
    }),
    since: time,
    last_error: z.object({ code: z.string(), at: time }).nullable(),
    minute: z
      .object({
        submitted: z.int(),
        rejected: z.int(),
        not_accepted: z.int(),
        unknown: z.int(),
        delivered: z.int(),
        undelivered: z.int(),
        failed: z.int(),
      })
      .meta({ description: "What came of submissions and receipts in the last minute." }),
    median_ms: z.number().nullable().meta({ description: "What submissions took in the last minute." }),
    binds: z.array(bind).optional().meta({ description: "Of a carrier over SMPP: its connections." }),
  })
  .meta({ id: "CarrierHealth" });

const carrier = z
  .object({
    name: z.string().meta({ examples: ["acme"] }),
    kind,
    settings,
    secrets,
    tps,
    builtin: z.boolean().meta({ description: "Whether the settings of the deployment make it." }),
    callback_url: z
      .string()
      .nullable()
      .meta({ description: "Where its receipts go; null where they do not come by HTTP." }),
    health: health.nullable().meta({ description: "Null where it is not known at the moment." }),
    created_at: time.nullable(),
    updated_at: time.nullable(),
  })
  .meta({ id: "Carrier" });

const route = z
  .object({
    operations: z.array(z.enum(OPERATION_NAMES)).optional(),
    to: z
      .array(z.string())
      .optional()
      .meta({ examples: [["+9198", "IN"]] }),
    carriers: z.array(z.object({ name: z.string(), weight: z.int() })),
    fallback: z.array(z.string()).optional(),
  })
  .meta({ id: "Route" });

const answer = z.union([
  z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string().nullable() }),
  z.object({ command_status: z.int(), message_id: z.string().nullable() }),
]);

export const OPERATOR_CARRIERS = {
  CarrierList: listOf(carrier).meta({ id: "CarrierList" }),
  CarrierReply: z.object({ success, carrier }).meta({ id: "CarrierReply" }),
  CarrierDeleted: z.object({ success, deleted: z.literal(true) }).meta({ id: "CarrierDeleted" }),
  CarrierTested: z
    .object({
      success,
      outcome: z.enum(["submitted", "rejected", "not_accepted", "unknown"]),
      carrier_id: z.string().nullable().meta({ description: "The carrier's own id of the message." }),
      code: z.string().nullable(),
      ms: z.int().min(0),
      answer: answer.nullable().meta({ description: "What the carrier answered; null where nothing came." }),
    })
    .meta({ id: "CarrierTested" }),
  RoutesReply: z.object({ success, routes: z.array(route) }).meta({ id: "RoutesReply" }),
  CarrierSet: z
    .object({
      success,
      carriers: z.array(z.object({ name: z.string(), kind, settings, secrets, tps })),
      routes: z.array(route),
    })
    .meta({ id: "CarrierSet" }),
};
