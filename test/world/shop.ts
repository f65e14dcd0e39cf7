import { env } from "cloudflare:workers";
import { configOf } from "../../src/config/config.ts";
import { orderById } from "../../src/db/orders.ts";
import { randomId } from "../../src/crypto/ids.ts";
import { placeOrder } from "../../src/payments/orders.ts";
import type { Order } from "../../src/payments/provider.ts";
import { sandboxWebhooks } from "../../src/payments/sandbox.ts";
import type { SandboxOutcome, SignedWebhook, Trouble } from "../../src/payments/sandbox.ts";
import type { Plan } from "../../src/money/plans.ts";
import { balanceOf, call, ledgerOf, openWorld } from "./world.ts";
import type { Opening, World } from "./world.ts";

// A customer with a fresh account who orders a plan, and the sandbox that reports the outcome.

export interface Shop {
  world: World;
  /** The test twin. */
  twin: World;
  order: Order;
}

export const NO_TROUBLE: Trouble = { twice: false, disorder: false, wrongAmount: false };

/** Places an order for the account of a world. */
export async function orderOf(world: World, plan: Plan = "business"): Promise<Order> {
  const person = { accountId: world.ref.accountId, name: "Asha", buyer: null };
  const placed = await placeOrder(env, person, plan, randomId("once"));
  if (!placed.ok) throw new Error(`no order: ${placed.reason}`);
  return placed.order;
}

/** Opens both objects of a fresh account, on starter and without credit, and places an order. */
export async function openShop(plan: Plan = "business", opening: Opening = {}): Promise<Shop> {
  const world = await openWorld({ plan: "starter", balance: 0, ...opening });
  const ref = { ...world.ref, mode: "test" as const };
  const name = `${world.name}.test`;
  const twin = { ...world, ref, name, stub: env.ACCOUNT.getByName(name) };
  await twin.stub.open({ name: "Test", plan: "starter", otpRate: null, balance: 0, keyId: 2, keyName: "first key" });
  return { world, twin, order: await orderOf(world, plan) };
}

/** The sandbox's webhooks for an outcome. */
export const webhooksOf = (order: Order, outcome: SandboxOutcome, trouble: Partial<Trouble> = {}): SignedWebhook[] =>
  sandboxWebhooks(configOf(env), order, outcome, { ...NO_TROUBLE, ...trouble });

/** Delivers a webhook over HTTP. */
export const deliver = ({ body, headers }: SignedWebhook) =>
  call("http://console.localhost/webhooks/payments/sandbox", { method: "POST", body, headers });

/** Makes the sandbox report an outcome; every webhook must be accepted. */
export async function tell(order: Order, outcome: SandboxOutcome, trouble: Partial<Trouble> = {}): Promise<void> {
  for (const webhook of webhooksOf(await orderNow(order), outcome, trouble)) {
    const { status } = await deliver(webhook);
    if (status !== 200) throw new Error(`the webhook was answered ${status}`);
  }
}

/** The current row of the order. */
export async function orderNow({ id }: Pick<Order, "id">): Promise<Order> {
  const order = await orderById(env.DB, id);
  if (!order) throw new Error("the order is gone");
  return order;
}

/** The recorded events of an order: kind, and the reason if quarantined. */
export async function recordedOf({ id }: Pick<Order, "id">): Promise<{ kind: string; quarantined: string | null }[]> {
  const sql = "SELECT kind, quarantined FROM payment_event WHERE order_id = ? ORDER BY received_at, event_id";
  return (await env.DB.prepare(sql).bind(id).all<{ kind: string; quarantined: string | null }>()).results;
}

/** All ledger entries with a non-zero amount, with their references. */
export async function entriesOf(world: World): Promise<[string | null, number][]> {
  return (await ledgerOf(world))
    .filter(({ amount }) => amount !== 0)
    .map(({ reference, amount }) => [reference, amount]);
}

/** Balance, plan, OTP rate and status of an account; throws if reconciliation finds a difference. */
export async function standingOf(world: World) {
  const view = await world.stub.view();
  const differences = await world.stub.reconcile();
  if (differences?.length !== 0) throw new Error(JSON.stringify(differences));
  return { balance: await balanceOf(world), plan: view?.plan, otpRate: view?.otpRate, status: view?.status };
}
