import type { Submission } from "../harness/gateway.ts";
import type { Arrived, Carrier } from "./carrier.ts";
import { Lane } from "./customer.ts";
import type { Account, World } from "./customer.ts";
import type { Order } from "./orders.ts";
import type { Receipts } from "./receipts.ts";

// The calm after the faults: what bad luck may have kept from a run is done once more, until it has come about, so that
// the checker has an occasion to check each property. On a slow machine with much trouble at the gateway, everything that
// was ordered for later may expire unsent.

/** How far ahead an order for later is at first, in ms; each further one twice as far, for a machine that is slower. */
const AHEAD_MS = 3_000;
/** How long a message may take to the gateway before another one is ordered besides, in ms. */
const ARRIVES_MS_MAX = 10_000;
/** How far ahead is what is taken back, in ms. */
const TAKEN_BACK_MS = 120_000;
const AGAIN_MS = 500;

const MESSAGE = "It is calm again.";

/** Time limit for all of it; what has not come about by then is lacking, and the checker says so. */
const CALM_MS_MAX = 120_000;
/** The lane of these orders: customers have fewer. */
const CALM_LANE = 7;

interface Calm {
  lane: Lane;
  carrier: Carrier;
  receipts: Receipts<Submission>;
  /** The service's time, in ms. */
  nowMs: () => number;
  /** What was ordered for this part and may still come: while messages wait for a slow gateway, more would wait longer. */
  coming: Promise<Arrived>[];
}

const pause = (ms: number) => new Promise<null>((resolve) => setTimeout(() => resolve(null), ms));

const never = new Promise<never>(() => undefined);

/** What a promise gives in time, or null. */
const within = <T>(promise: Promise<T>, ms: number): Promise<T | null> => Promise.race([promise, pause(ms)]);

/** The first of a part's messages that comes to the gateway, or null if none does in time. */
const next = ({ coming }: Calm, waitMs = ARRIVES_MS_MAX) => within(Promise.race(coming), waitMs);

const send = (path: string, body: Record<string, unknown>, quote?: string): Order => ({
  method: "POST",
  path,
  body,
  ...(quote !== undefined && { quote }),
});

/** A message for later that reaches the gateway; `ahead` is how far ahead it is. */
async function later(calm: Calm, aheadMs: number): Promise<boolean> {
  const { lane, carrier, nowMs, coming } = calm;
  const phone = lane.numbers.indian();
  const arrival = carrier.arrivalOf(`+91${phone}`);
  const atMs = nowMs() + aheadMs;
  const { reply } = await lane.insist(
    send("/send-sms", { phone, message: MESSAGE, sendAt: new Date(atMs).toISOString() }),
  );
  // An order that is taken after its time is for now.
  if (reply?.status === 200 && nowMs() < atMs) coming.push(arrival);
  return (await next(calm, aheadMs + ARRIVES_MS_MAX)) !== null;
}

/** A message for later that is taken back in time. */
async function takenBack({ lane, nowMs }: Calm): Promise<boolean> {
  const sendAt = new Date(nowMs() + TAKEN_BACK_MS).toISOString();
  const { id, reply } = await lane.insist(
    send("/send-sms", { phone: lane.numbers.indian(), message: MESSAGE, sendAt }),
  );
  const message = reply?.headers["x-message-id"];
  if (reply?.status !== 200 || typeof message !== "string") return false;
  const back = await lane.insist({ method: "DELETE", path: `/v1/messages/${message}`, of: id });
  return back.reply?.status === 200;
}

/** A quote that is used, and is refused the second time. */
async function quoted({ lane }: Calm): Promise<boolean> {
  const order = () => ({ phone: lane.numbers.indian(), message: MESSAGE });
  const asked = await lane.insist(send("/v1/preflight", { operation: "sms", ...order() }));
  const { quote } = JSON.parse(asked.reply?.bytes.toString() || "{}") as { quote?: string | null };
  if (typeof quote !== "string") return false;
  const used = await lane.insist(send("/send-sms", order(), quote));
  const again = await lane.insist(send("/send-sms", order(), quote));
  return used.reply?.status === 200 && again.reply?.status === 400;
}

/** A one-time password that reaches the gateway. */
async function password(calm: Calm): Promise<boolean> {
  const { lane, carrier, coming } = calm;
  const phone = lane.numbers.indian();
  coming.push(carrier.arrivalOf(`+91${phone}`));
  await lane.insist(send("/send-otp", { phone, otp: "246810" }));
  return (await next(calm)) !== null;
}

/** A message that the gateway rejects. */
async function rejected(calm: Calm): Promise<boolean> {
  const { lane, carrier, coming } = calm;
  const phone = lane.numbers.indian();
  carrier.reject(`+91${phone}`);
  coming.push(carrier.arrivalOf(`+91${phone}`));
  await lane.insist(send("/send-sms", { phone, message: MESSAGE }));
  return (await next(calm)) !== null;
}

/** A message that the gateway takes, with a genuine receipt and a forged one. */
async function receipted(calm: Calm): Promise<boolean> {
  const { lane, carrier, receipts, coming } = calm;
  const phone = lane.numbers.indian();
  coming.push(carrier.arrivalOf(`+91${phone}`).then((one) => (one.tells === "taken" ? one : never)));
  await lane.insist(send("/send-sms", { phone, message: MESSAGE }));
  const arrived = await next(calm);
  if (arrived === null) return false;
  return (await within(receipts.tell(arrived.submission), ARRIVES_MS_MAX)) !== null;
}

const PARTS: Record<string, (calm: Calm, aheadMs: number) => Promise<boolean>> = {
  later,
  takenBack,
  quoted,
  password,
  rejected,
  receipted,
};

export interface CalmOptions {
  world: World;
  /** The customer who orders. */
  account: Account;
  carrier: Carrier;
  receipts: Receipts<Submission>;
}

/** Does every part until it has come about. Returns the names of those that had not come about in time. */
export async function calmDown({ world, account, carrier, receipts }: CalmOptions): Promise<string[]> {
  const giveUpAt = Date.now() + CALM_MS_MAX;
  const isClosed = () => Date.now() >= giveUpAt;
  const lane = new Lane({ ...world, isOver: isClosed, isClosed }, account, CALM_LANE);
  const lacking: string[] = [];
  const untilDone = async ([name, part]: [string, (typeof PARTS)[string]]) => {
    const calm: Calm = { lane, carrier, receipts, nowMs: world.nowMs, coming: [] };
    for (let aheadMs = AHEAD_MS; !(await part(calm, aheadMs)); aheadMs *= 2) {
      if (isClosed()) return lacking.push(name);
      await pause(AGAIN_MS);
    }
    return null;
  };
  await Promise.all(Object.entries(PARTS).map(untilDone));
  return lacking;
}
