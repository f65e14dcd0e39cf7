import type { Submission } from "../../harness/gateway.ts";
import type { Carrier } from "../carrier.ts";
import { Lane } from "../customer.ts";
import type { Account, World } from "../customer.ts";
import type { Receipts } from "../receipts.ts";
import { carriersNow } from "./health.ts";
import { HTTP, SMPP, TEMPLATE } from "./routes.ts";
import type { Route } from "./routes.ts";
import type { Squad } from "./squad.ts";

// The calm after the faults, with routes: what the run may have missed by bad luck is brought about once more, one after
// the other, so that the checker has an occasion to check each property of carriers and routes.

/** How long a message may take to its carrier before another one is ordered, in ms. */
const ARRIVES_MS_MAX = 6_000;
const AGAIN_MS = 150;
/** Time limit for all of it; what has not come about by then is lacking, and the checker says so. */
const CALM_MS_MAX = 120_000;
/** The lane of these orders: customers and the other calm phase have others. */
const CALM_LANE = 6;
/** Routes that are changed here at least. */
const CHANGES = 6;

const MESSAGE = "It is calm again, on every route.";

export interface RoutedCalm {
  world: World;
  account: Account;
  gateway: Carrier;
  receipts: Receipts<Submission>;
  squad: Squad;
}

const pause = (ms: number) => new Promise<null>((resolve) => setTimeout(() => resolve(null), ms));

interface Setting extends RoutedCalm {
  lane: Lane;
  isClosed: () => boolean;
}

const route = (first: string, ...fallback: string[]): Route => ({
  carriers: [{ name: first, weight: 1 }],
  ...(fallback.length > 0 && { fallback }),
});

async function order({ lane }: Setting): Promise<string> {
  const phone = lane.numbers.indian();
  await lane.insist({ method: "POST", path: "/send-sms", body: { phone, message: MESSAGE } });
  return `+91${phone}`;
}

type Arrival = { carrier: string; submission: Pick<Submission, "ref" | "to"> };

/** Where a message is taken; `before` is done with its number before it is ordered. Null if none arrives in time. */
async function send(of: Setting, before: (to: string) => void = () => undefined): Promise<Arrival | null> {
  const { lane, gateway, squad } = of;
  const phone = lane.numbers.indian();
  const to = `+91${phone}`;
  before(to);
  const arrivals: Promise<Arrival>[] = [
    gateway
      .arrivalOf(to)
      .then(({ submission, tells }) =>
        tells === "taken" ? { carrier: HTTP, submission } : new Promise<never>(() => undefined),
      ),
    squad.template.desk.arrivalOf(to).then((submission) => ({ carrier: TEMPLATE, submission })),
    squad.smpp.desk.arrivalOf(to).then((submission) => ({ carrier: SMPP, submission })),
  ];
  await lane.insist({ method: "POST", path: "/send-sms", body: { phone, message: MESSAGE } });
  return Promise.race([...arrivals, pause(ARRIVES_MS_MAX)]);
}

/** Repeats until it has come about; false where time is over. */
async function until({ isClosed }: Setting, attempt: () => Promise<boolean>): Promise<boolean> {
  while (!(await attempt())) {
    if (isClosed()) return false;
    await pause(AGAIN_MS);
  }
  return true;
}

/** Each carrier takes a message, and tells that it arrived. */
async function eachTakes(of: Setting): Promise<boolean> {
  for (const name of [TEMPLATE, SMPP, HTTP]) {
    await of.squad.routes.put([route(name)]);
    if (!(await until(of, async () => (await send(of))?.carrier === name))) return false;
  }
  return true;
}

/** A message goes on to the next carrier, because the first one is busy. */
async function fallsBack(of: Setting): Promise<boolean> {
  const desks = { [TEMPLATE]: of.squad.template.desk, [SMPP]: of.squad.smpp.desk };
  for (const [first, next] of [
    [TEMPLATE, SMPP],
    [SMPP, HTTP],
  ] as const) {
    await of.squad.routes.put([route(first, next)]);
    const isNext = async () => (await send(of, (to) => desks[first].refuse(to)))?.carrier === next;
    if (!(await until(of, isNext))) return false;
  }
  return true;
}

const stateOf = async (name: string) => (await carriersNow())?.find((one) => one.name === name)?.health?.state;

/** An outage opens the breaker of each carrier, and a message closes it again. */
async function opensAndCloses(of: Setting): Promise<boolean> {
  for (const [name, one] of [
    [TEMPLATE, of.squad.template],
    [SMPP, of.squad.smpp],
  ] as const) {
    await of.squad.routes.put([route(name, HTTP)]);
    const id = `calm-${name}`;
    of.squad.note({ t: "begin", id, kind: "carrier_away", carrier: name });
    await one.close();
    const is = (state: string) => async () => {
      await order(of);
      return (await stateOf(name)) === state;
    };
    const opened = await until(of, is("out"));
    await one.listen();
    of.squad.note({ t: "end", id });
    if (!opened || !(await until(of, is("up")))) return false;
  }
  return true;
}

/** The gateway tells of a message that only the carrier by configuration was given. */
async function foreign(of: Setting): Promise<boolean> {
  await of.squad.routes.put([route(TEMPLATE)]);
  return until(of, async () => {
    const arrived = await send(of);
    if (arrived?.carrier !== TEMPLATE) return false;
    const { ref, to } = arrived.submission;
    const submission = { ref, to, operation: "sms", callback_url: `${of.world.base}/callbacks/${HTTP}` };
    return (await Promise.race([of.receipts.tellForeign(submission, "failed"), pause(ARRIVES_MS_MAX)])) !== null;
  });
}

/** Routes come and go. */
async function changes(of: Setting): Promise<boolean> {
  for (let nth = 0; nth < CHANGES; nth++) {
    const names = [HTTP, TEMPLATE, SMPP];
    const first = names[nth % 3] ?? HTTP;
    const rest = names.filter((name) => name !== first);
    await of.squad.routes.put(nth === CHANGES - 2 ? [] : [route(first, ...rest)]);
    await send(of);
  }
  return true;
}

const PARTS = { eachTakes, fallsBack, opensAndCloses, foreign, changes };

/** Does every part until it has come about, and then removes all routes. Returns the names of those that had not in time. */
export async function calmRoutes(calm: RoutedCalm): Promise<string[]> {
  const giveUpAt = Date.now() + CALM_MS_MAX;
  const isClosed = () => Date.now() >= giveUpAt;
  const lane = new Lane({ ...calm.world, isOver: isClosed, isClosed }, calm.account, CALM_LANE);
  const lacking: string[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (!(await part({ ...calm, lane, isClosed }))) lacking.push(name);
  }
  await calm.squad.unroute();
  return lacking;
}
