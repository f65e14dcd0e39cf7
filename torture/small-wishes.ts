import { T0, entry, refOf, rowsOf } from "./small-books.ts";
import type { Life, Row } from "./small-books.ts";
import { order, receipt, submission } from "./small-lines.ts";

// An account of the small world that orders for later, takes back and asks for a price first, and whose events are consumed.

/** Its recipients. */
export const WISHED = { later: "+919410000001", cancelled: "+919420000001", quoted: "+919440000001" } as const;

export const QUOTE = "quote_of_the_small_world";
export const HOOKS = { each: "wh_each", batch: "wh_batch" } as const;

const account = "wishes";
const iso = (ms: number) => new Date(T0 + ms).toISOString();
const sent = (left: number) => ({ coins_used: 1, coins_remaining: left });
const text = { message: "Buy" };

const LATER_MS = 5_000;
const BACK = { success: true, cancelled: 1, refunded: 1 };

const LIVES: Life[] = [
  {
    to: WISHED.later,
    request: "r40",
    operation: "sms",
    charge: 1,
    account,
    states: [
      ["scheduled", 500],
      ["queued", LATER_MS],
      ["sending", LATER_MS + 100],
      ["submitted", LATER_MS + 200],
      ["delivered", LATER_MS + 500],
    ],
  },
  {
    to: WISHED.cancelled,
    request: "r41",
    operation: "sms",
    charge: 1,
    account,
    refunded: true,
    states: [
      ["scheduled", 500],
      ["cancelled", 1_005],
    ],
  },
  {
    to: WISHED.quoted,
    request: "r44",
    operation: "sms",
    charge: 1,
    account,
    states: [
      ["queued", 1_000],
      ["sending", 1_100],
      ["delivered", 1_500],
    ],
  },
];

const at = (phone: string, more: Row = {}): Row => ({ phone: phone.slice(3), ...text, ...more });

function clients(): Row[] {
  const quote = { quote: QUOTE };
  const preflighted = { quote: QUOTE, quote_until: iso(6_000), cost: 1, recipients: { valid: 1 } };
  const place = (id: string, body: Row, means: string, reply: [number, Row], more?: Row) =>
    order(id, "/send-sms", body, means, [reply], account, more);
  const back = `/v1/messages/${refOf(WISHED.cancelled)}`;
  const useless: [number, Row] = [400, { code: "invalid_quote" }];
  return [
    { t: "account", at: T0, id: account, index: 3, plan: "premium", opening: 11 },
    ...place("40", at(WISHED.later, { sendAt: iso(LATER_MS) }), "good", [200, sent(10)]),
    ...place("41", at(WISHED.cancelled, { sendAt: iso(60_000) }), "good", [200, sent(9)]),
    // Asked twice.
    ...order(
      "42",
      back,
      null,
      "good",
      [
        [200, BACK],
        [200, BACK],
      ],
      account,
      { method: "DELETE" },
    ),
    ...order(
      "43",
      "/v1/preflight",
      { operation: "sms", ...at(WISHED.quoted) },
      "unkeyed",
      [[200, preflighted]],
      account,
    ),
    ...place("44", at(WISHED.quoted), "good", [200, sent(10)], quote),
    ...place("45", at("+919450000001"), "good", useless, quote),
    ...place("46", { phone: "9460000001", message: "Another" }, "wrong", useless, quote),
    { t: "credit", at: T0, account, amount: 1, reference: "alms-2" },
    { t: "credited", at: T0, account, reference: "alms-2", status: 200 },
  ];
}

const event = (seq: number, type: string, atMs: number, data: Row): Row => ({
  seq,
  id: `evt_${seq}`,
  type,
  at: iso(atMs),
  data,
});

function told(seq: number, to: string, request: string, state: string, atMs: number): Row {
  const [attempts, refunded] = state === "cancelled" ? [0, true] : [1, false];
  const known = { message_id: refOf(to), request_id: request, operation: "sms", to, state, error_code: null };
  return event(seq, `message.${state}`, atMs, { ...known, cost: 1, refunded, attempts });
}

const feed = (): Row[] => [
  event(1, "balance.low", 600, { balance: 9, balance_low_at: 10 }),
  told(2, WISHED.cancelled, "r41", "cancelled", 1_005),
  event(3, "credit.added", 1_010, { amount: 1, balance: 11 }),
  told(4, WISHED.quoted, "r44", "delivered", 1_500),
  event(5, "webhook.disabled", 2_000, { webhook_id: HOOKS.each, reason: "gone" }),
  told(6, WISHED.later, "r40", "delivered", LATER_MS + 500),
];

/** Deliveries to both webhooks: the first is gone once, and gets one event twice; the second takes batches. */
function deliveries(): Row[] {
  const line = (hook: string, first: number, more: Row): Row => ({
    t: "post",
    at: T0,
    account,
    hook,
    webhookId: `evt_${first}`,
    seqs: [first],
    answer: "takes",
    fault: null,
    ...more,
  });
  const take = (seq: number): Row[] => [
    line(HOOKS.each, seq, {}),
    { t: "got", at: T0, account, by: HOOKS.each, events: feed().slice(seq - 1, seq) },
  ];
  const batch = feed().filter(({ type }) => String(type).startsWith("message."));
  const [first, ...rest] = batch.map(({ id, ...one }, at) => (at === 0 ? { ...one, id } : one));
  return [
    { t: "hook", at: T0, account, hook: HOOKS.each, types: ["*"], batch: false },
    { t: "hook", at: T0, account, hook: HOOKS.batch, types: ["message.*"], batch: true },
    ...[1, 2].flatMap(take),
    line(HOOKS.each, 3, { answer: "gone" }),
    ...[2, 3, 4, 5, 6].flatMap(take),
    line(HOOKS.batch, 2, { seqs: [2, 4, 6], answer: "hangs" }),
    line(HOOKS.batch, 2, { seqs: [2, 4, 6] }),
    { t: "got", at: T0, account, by: HOOKS.batch, events: [first, ...rest] },
  ];
}

const follow = (by: string): Row[] => [
  { t: "life", at: T0, account, by, life: 1, after: 0 },
  ...feed().map((one) => ({ t: "got", at: T0, account, by, events: [one] })),
];

/** All that the logs and the books have of it. */
export function wishes() {
  const rows = LIVES.map(rowsOf);
  const [, cancelled] = LIVES;
  const ref = refOf(cancelled?.to ?? "");
  const ledger = [
    entry(1, "credit", 11, 11, { reference: "opening" }),
    entry(2, "debit", -1, 10, { request_id: "r40" }),
    entry(3, "debit", -1, 9, { request_id: "r41" }),
    entry(4, "refund", 1, 10, { message_id: ref, reference: `refund:${ref}` }),
    entry(5, "credit", 1, 11, { reference: "alms-2" }),
    entry(6, "debit", -1, 10, { request_id: "r44" }),
  ];
  const messages = rows.map(({ message }) => message);
  return {
    clients: clients(),
    carrier: [
      ...submission(WISHED.later, "accepts", "taken", LATER_MS + 150),
      ...receipt(WISHED.later, "delivered", 200, undefined, LATER_MS + 400),
      ...submission(WISHED.quoted, "accepts", "taken"),
      ...receipt(WISHED.quoted, "delivered", 200),
    ],
    events: [...follow("api"), ...follow("socket"), ...deliveries()],
    books: { id: account, balance: 10, ledger, messages, differences: [] as unknown[], archives: [] },
    history: rows.map(({ recorded }) => recorded),
    feed: { account, events: feed() },
  };
}
