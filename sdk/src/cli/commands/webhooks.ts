import { WebhookError, verifyWebhook } from "../../index.ts";
import type { ChangeWebhookBody, CreateWebhookBody, Webhook, WebhookAttempt } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import type { Given } from "../given.ts";
import { fileText } from "../input.ts";
import { localTime } from "../output.ts";
import { counted, wireOf } from "../reply.ts";
import { Stop, usage } from "../stop.ts";

// The account's webhooks (contract §14).

const ID = { name: "ID", about: "The webhook's id" } as const;

const stateColor = (state: string) => (state === "active" ? "green" : state === "waiting" ? "yellow" : "red");

const list: Command = {
  name: "webhooks list",
  about: "List the webhooks",
  options: {},
  examples: ["dastak webhooks list"],
  async run({ out, connect }) {
    const page = await connect().client.listWebhooks();
    const text = () =>
      out.table(
        [
          { title: "ID", of: (row) => row.webhook_id, whole: true },
          { title: "STATE", of: (row) => row.state, color: (row) => stateColor(row.state) },
          { title: "ACKED", of: (row) => String(row.acked), right: true },
          { title: "ADDRESS", of: (row) => row.url },
        ],
        page.data,
      );
    out.show(wireOf(page), () => (page.data.length === 0 ? "None; dastak webhooks create makes one." : text()));
  },
};

const TERMS = {
  type: { type: "string", short: "t", multiple: true, about: "Such as message.delivered or message.*; else all" },
  description: { type: "string", about: "For you" },
} as const;

/** The types that were given. The service says which it knows: a newer one has more. */
const typesIn = (given: Given) => {
  const types = given.list("type") as NonNullable<CreateWebhookBody["types"]>;
  return types.length > 0 ? { types } : {};
};

/** A webhook, and its secret where it is a new one. */
const shown = ({ out }: Context, { webhook_id, url, types, batch, state }: Webhook, secret?: string) =>
  out.facts([
    ["id", webhook_id],
    ["address", url],
    ["types", types.join(", ")],
    ["batch", batch ? "on" : undefined],
    ["state", state],
    ["secret", secret],
  ]);

const create: Command = {
  name: "webhooks create",
  about: "Have events delivered to an address",
  more: "The secret, with which deliveries are signed, is shown this once.",
  options: {
    to: { type: "string", value: "URL", need: true, about: "An https address" },
    batch: { type: "boolean", about: "Up to 50 events in a delivery" },
    ...TERMS,
  },
  examples: ["dastak webhooks create --to https://example.com/dastak --type 'message.*'"],
  async run(context, given) {
    const reply = await context.connect().client.createWebhook({
      url: given.need("to"),
      ...typesIn(given),
      ...(given.flag("batch") && { batch: true }),
      description: given.text("description"),
    });
    const text = () => `${shown(context, reply.webhook, reply.secret)}\nThe secret is not shown again.`;
    context.out.show(wireOf(reply), text);
  },
};

const SWITCH = ["on", "off"] as const;
const STATES = ["active", "disabled"] as const;

const update: Command = {
  name: "webhooks update",
  about: "Change a webhook; what is not given stays",
  more: "--type in place of all the types that it had. A webhook that is enabled again goes on where it stopped, or from now with --skip.",
  args: [ID],
  options: {
    to: { type: "string", value: "URL", about: "Another https address" },
    batch: { type: "string", value: "WHICH", values: SWITCH, about: "Up to 50 events in a delivery" },
    state: { type: "string", value: "WHICH", values: STATES, about: "Enable it again, or disable it" },
    skip: { type: "boolean", about: "Leave out what it has not got yet" },
    ...TERMS,
    type: { ...TERMS.type, about: "Such as message.delivered or message.*" },
  },
  examples: [
    "dastak webhooks update wh_1 --to https://example.com/dastak --batch on",
    "dastak webhooks update wh_1 --state active --skip",
  ],
  async run(context, given) {
    const batch = given.text("batch");
    const change: ChangeWebhookBody = {
      url: given.text("to"),
      ...typesIn(given),
      ...(batch !== undefined && { batch: batch === "on" }),
      description: given.text("description"),
      state: STATES.find((state) => state === given.text("state")),
      ...(given.flag("skip") && { skip: true }),
    };
    if (Object.values(change).every((value) => value === undefined)) throw usage("Nothing is to be changed.");
    const reply = await context.connect().client.changeWebhook(given.arg(0), change);
    context.out.show(wireOf(reply), () => shown(context, reply.webhook));
  },
};

/** The longest overlap, in seconds: a week. */
const OVERLAP_MAX = 604_800;

const rotate: Command = {
  name: "webhooks rotate",
  about: "Give a webhook another secret",
  more: "Until the overlap ends, both secrets sign each delivery. The new one is shown this once.",
  args: [ID],
  options: { overlap: { type: "string", value: "SECONDS", about: "How long the old one signs as well; else a day" } },
  examples: ["dastak webhooks rotate wh_1 --overlap 3600"],
  async run(context, given) {
    const overlapSeconds = given.count("overlap", 0, OVERLAP_MAX);
    const reply = await context.connect().client.rotateWebhookSecret(given.arg(0), { overlapSeconds });
    const text = () => `${shown(context, reply.webhook, reply.secret)}\nThe secret is not shown again.`;
    context.out.show(wireOf(reply), text);
  },
};

const remove: Command = {
  name: "webhooks delete",
  about: "Delete a webhook",
  args: [ID],
  options: {},
  examples: ["dastak webhooks delete wh_1"],
  async run({ out, connect }, given) {
    const reply = await connect().client.deleteWebhook(given.arg(0));
    out.show(wireOf(reply), "Deleted.");
  },
};

/** Whether the receiver took it. */
const isTaken = ({ status }: WebhookAttempt) => status !== null && status >= 200 && status < 300;

const attempts: Command = {
  name: "webhooks attempts",
  about: "Show the newest deliveries and their answers",
  args: [ID],
  options: {},
  examples: ["dastak webhooks attempts wh_1"],
  async run({ out, connect }, given) {
    const page = await connect().client.listWebhookAttempts(given.arg(0), { limit: 50 });
    const text = () =>
      out.table(
        [
          { title: "AT", of: ({ at }) => localTime(at).slice(5) },
          { title: "EVENT", of: ({ seq }) => (seq === null ? "test" : `#${seq}`) },
          { title: "STATUS", of: (row) => String(row.status ?? "-"), color: (row) => (isTaken(row) ? "green" : "red") },
          { title: "MS", of: ({ ms }) => String(ms), right: true },
          { title: "ANSWER", of: ({ error, answer }) => error ?? answer },
        ],
        page.data,
      );
    out.show(wireOf(page), () => (page.data.length === 0 ? "Nothing was delivered yet." : text()));
  },
};

const replay: Command = {
  name: "webhooks replay",
  about: "Deliver events again, with the same ids",
  args: [ID],
  options: {
    from: { type: "string", value: "SEQ", need: true, about: "The first event" },
    until: { type: "string", value: "SEQ", about: "The last one; else the newest" },
  },
  examples: ["dastak webhooks replay wh_1 --from 120 --until 140"],
  async run({ out, connect }, given) {
    const from = given.count("from", 1, Number.MAX_SAFE_INTEGER) ?? 1;
    const to = given.count("until", 1, Number.MAX_SAFE_INTEGER);
    const reply = await connect().client.replayWebhook(given.arg(0), { from, to });
    out.show(wireOf(reply), `${counted(reply.replayed, "event")} will be delivered again.`);
  },
};

const test: Command = {
  name: "webhooks test",
  about: "Deliver an event of type test",
  args: [ID],
  options: {},
  examples: ["dastak webhooks test wh_1"],
  async run({ out, connect }, given) {
    const reply = await connect().client.testWebhook(given.arg(0));
    out.show(wireOf(reply), `It is on its way; see: dastak webhooks attempts ${given.arg(0)}`);
  },
};

/** Headers as they were copied: `webhook-id: evt_…`. */
function headersIn(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/u.exec(line) ?? [];
      if (name === "") throw usage("--header must be a name, a colon and a value.", "--header 'webhook-id: evt_…'");
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
}

async function verifyDelivery({ out }: Context, payload: string, headers: Record<string, string>, secret: string) {
  // Here, not at the service: neither the secret nor the body leaves this machine.
  const at = Number(headers["webhook-timestamp"]) * 1000;
  try {
    await verifyWebhook(payload, headers, secret, Number.isFinite(at) ? { nowMs: at } : {});
  } catch (problem) {
    if (problem instanceof WebhookError) throw new Stop("failed", problem.reason, problem.message);
    throw problem instanceof TypeError ? usage(problem.message) : problem;
  }
  const old = Math.round((Date.now() - at) / 1000);
  const late = Math.abs(old) > 300 ? ` Its time is ${old} s from now; a receiver would refuse it.` : "";
  out.show({ valid: true, age_sec: old }, `The signature holds.${late}`);
}

const verify: Command = {
  name: "webhooks verify",
  about: "Tell whether a delivery's signature holds",
  more: "It is computed here: neither the secret nor the body leaves this machine. It ends with 1 where it does not hold.",
  options: {
    body: { type: "string", value: "FILE", need: true, about: "The body byte for byte; - reads standard input" },
    header: {
      type: "string",
      multiple: true,
      value: "LINE",
      about: "webhook-id, webhook-timestamp, webhook-signature",
    },
    secret: { type: "string", need: true, about: "whsec_…" },
  },
  examples: [
    'dastak webhooks verify --body body.json --secret "$SECRET" \\',
    "    --header 'webhook-id: evt_1' --header 'webhook-timestamp: 1795363200' \\",
    "    --header 'webhook-signature: v1,…'",
  ],
  async run(context, given) {
    const headers = headersIn(given.list("header"));
    const file = given.need("body");
    await verifyDelivery(context, await fileText(file), headers, given.need("secret"));
  },
};

export const WEBHOOKS = [list, create, update, rotate, remove, attempts, replay, test, verify];
