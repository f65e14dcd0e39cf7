import { T0, entry, refOf, rowsOf } from "./small-books.ts";
import type { Life, Row } from "./small-books.ts";
import { order, receipt, submission } from "./small-lines.ts";
import { smallWorld } from "./small-world.ts";
import type { World } from "./small-world.ts";

// The small world with three carriers and routes: messages that fall back, a breaker of each carrier, and routes that
// change.

/** Its recipients: two fell back, one reached no connection first, and one was given to the carrier by configuration. */
export const ROUTED = {
  fellBack: "+919710000001",
  alsoFellBack: "+919720000001",
  unreached: "+919730000001",
  direct: "+919740000001",
} as const;

export const GATEWAY = "http";
export const TEMPLATE = "acme";
export const SMPP = "centre";
export const SPARE = "spare";

const account = "routed";
const iso = (ms: number) => new Date(T0 + ms).toISOString();

/** A step of a message's life, with its carrier and its code as its timeline has them. */
type Step = [state: string, atMs: number, carrier?: string, code?: string];

const LIVES: Record<string, { request: string; steps: Step[] }> = {
  [ROUTED.fellBack]: {
    request: "r60",
    steps: [
      ["queued", 1_000],
      ["sending", 1_100, TEMPLATE],
      ["queued", 1_200, TEMPLATE, "http_429"],
      ["sending", 1_200, SMPP],
      ["submitted", 1_300, SMPP],
      ["delivered", 1_700, SMPP],
    ],
  },
  [ROUTED.alsoFellBack]: {
    request: "r61",
    steps: [
      ["queued", 1_000],
      ["sending", 1_100, SMPP],
      ["queued", 1_200, SMPP, "smpp_0x58"],
      ["sending", 1_200, GATEWAY],
      ["submitted", 1_300, GATEWAY],
      ["delivered", 1_700, GATEWAY],
    ],
  },
  [ROUTED.unreached]: {
    request: "r62",
    steps: [
      ["queued", 10_000],
      ["sending", 10_100, TEMPLATE],
      ["queued", 10_200, TEMPLATE, "not_connected"],
      ["sending", 10_200, GATEWAY],
      ["submitted", 10_300, GATEWAY],
      ["delivered", 10_700, GATEWAY],
    ],
  },
  [ROUTED.direct]: {
    request: "r63",
    steps: [
      ["queued", 1_000],
      ["sending", 1_100, TEMPLATE],
      ["submitted", 1_300, TEMPLATE],
      ["delivered", 1_700, TEMPLATE],
    ],
  },
};

const MESSAGE = "Buy";

const carrierOf = (steps: Step[]) => steps.at(-1)?.[2] ?? GATEWAY;

function rowsFor([to, { request, steps }]: [string, (typeof LIVES)[string]]) {
  const states = steps.map(([state, atMs]): Life["states"][number] => [state, atMs]);
  const { message, recorded } = rowsOf({ to, request, operation: "sms", charge: 1, states, account });
  const carrier = carrierOf(steps);
  return { message: { ...message, carrier }, recorded: { ...recorded, carrier } };
}

/** A timeline as its customer reads it. */
function timelineOf([to, { steps }]: [string, (typeof LIVES)[string]]) {
  let attempt = 0;
  const timeline = steps.map(([state, atMs, carrier, code]): Row => {
    if (state === "sending") attempt += 1;
    const of = carrier === undefined ? {} : { attempt, carrier };
    return { state, at: iso(atMs), ...of, ...(code !== undefined && { carrier_code: code }) };
  });
  return { account, ref: refOf(to), timeline };
}

/** A submission to a carrier, which over SMPP is told no reference and no operation. */
export function given(carrier: string, ...args: Parameters<typeof submission>): Row[] {
  const [line, ...answer] = submission(...args);
  const blind = carrier === SMPP ? { ref: "", operation: null } : {};
  return [{ ...line, carrier, ...blind }, ...answer];
}

/** A receipt of a carrier. */
export function told(carrier: string, ...args: Parameters<typeof receipt>): Row[] {
  const [line, answer] = receipt(...args);
  return [{ ...line, carrier, to: args[0] }, answer ?? {}];
}

const route = (first: string, ...fallback: string[]): Row => ({ carriers: [{ name: first, weight: 1 }], fallback });

/** Calls have the gateway alone, and Germany never the carrier by configuration. */
const ROUTES: Row[] = [
  { operations: ["tts", "voice"], carriers: [{ name: GATEWAY, weight: 1 }] },
  { to: ["DE"], ...route(GATEWAY, SMPP) },
  route(TEMPLATE, SMPP, GATEWAY),
];

/** When the carriers are out, by the answers to the operator, who asks every half second. */
const OUT: Record<string, [fromMs: number, toMs: number]> = { [TEMPLATE]: [10_500, 14_500], [SMPP]: [20_500, 22_500] };

function routing(): Row[] {
  const changes = Array.from({ length: 8 }, (_, nth): Row[] => {
    const atMs = -60_000 + 15_000 * nth;
    const routes = nth === 0 ? [] : ROUTES;
    return [
      { t: "routes", at: T0 + atMs, id: nth, routes },
      { t: "done", at: T0 + atMs + 20, id: nth },
    ];
  });
  const standings = Array.from({ length: 60 }, (_, nth): Row => {
    const atMs = nth * 500;
    const stateOf = (name: string) => {
      const [fromMs, toMs] = OUT[name] ?? [Infinity, Infinity];
      return atMs >= fromMs && atMs <= toMs ? "out" : "up";
    };
    const states = Object.fromEntries([GATEWAY, TEMPLATE, SMPP].map((name) => [name, stateOf(name)]));
    return { t: "health", at: T0 + atMs + 5, askedAt: T0 + atMs, states };
  });
  return [...changes.flat(), ...standings];
}

const sent = (left: number): Row => ({ coins_used: 1, coins_remaining: left });

/** The small world with carriers and routes, in which everything is right. */
export function smallRoutedWorld(): World {
  const world = smallWorld();
  world.config["carriers"] = 3;
  world.clients.push({ t: "account", at: T0, id: account, index: 5, plan: "premium", opening: 10 });
  const ledger = [entry(1, "credit", 10, 10, { reference: "opening" })];
  for (const [nth, to] of Object.keys(LIVES).entries()) {
    const left = 9 - nth;
    const body = { phone: to.slice(3), message: MESSAGE };
    world.clients.push(...order(`6${nth}`, "/send-sms", body, "good", [[200, sent(left)]], account));
    ledger.push(entry(2 + nth, "debit", -1, left, { request_id: `r6${nth}` }));
  }
  world.carrier.push(
    { t: "bound", at: T0 - 90_000, carrier: SMPP, binds: 2 },
    ...given(TEMPLATE, ROUTED.fellBack, "busy", "busy", 1_110),
    ...given(SMPP, ROUTED.fellBack, "accepts", "taken", 1_210),
    ...told(SMPP, ROUTED.fellBack, "delivered", 200, undefined, 1_600),
    ...given(SMPP, ROUTED.alsoFellBack, "busy", "busy", 1_110),
    ...given(GATEWAY, ROUTED.alsoFellBack, "accepts", "taken", 1_210),
    ...told(GATEWAY, ROUTED.alsoFellBack, "delivered", 200, undefined, 1_600),
    ...given(GATEWAY, ROUTED.unreached, "accepts", "taken", 10_210),
    ...told(GATEWAY, ROUTED.unreached, "delivered", 200, undefined, 10_600),
    ...given(TEMPLATE, ROUTED.direct, "accepts", "taken", 1_110),
    ...told(TEMPLATE, ROUTED.direct, "delivered", 200, undefined, 1_600),
    ...told(SPARE, ROUTED.direct, "failed", 200, "foreign", 1_500),
  );
  world.faults.push(
    { t: "begin", at: T0 + 9_900, id: "away", kind: "carrier_away", carrier: TEMPLATE },
    { t: "end", at: T0 + 10_900, id: "away" },
  );
  world.routing.push(...routing());
  const rows = Object.entries(LIVES).map(rowsFor);
  const messages = rows.map(({ message }) => message);
  world.books.accounts.push({ id: account, balance: 6, ledger, messages, differences: [], archives: [] });
  world.books.history.push(...rows.map(({ recorded }) => recorded));
  world.books.timelines.push(...Object.entries(LIVES).map(timelineOf));
  return world;
}
