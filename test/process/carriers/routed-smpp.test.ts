import type { SmppPdu } from "smpp";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../harness/program.ts";
import { startService } from "../../../harness/started.ts";
import type { Customer, Service } from "../../../harness/started.ts";
import { NpmCentre } from "./npm-centre.ts";
import { eventually } from "./smpp-service.ts";

// An account's messages over two carriers of kind smpp and a route between them, which the operator sets up without a
// deploy, from the request to the receipt (contract-carriers §16.2, §16.3).

const THROTTLED = 0x58;
const BAD_NUMBER = 0x0b;
const CHARGE = 1;

interface Shown {
  state: string;
  cost: number;
  refunded: boolean;
  timeline: { state: string; attempt?: number; carrier?: string; carrier_code?: string }[];
}

class Routed {
  readonly first: NpmCentre;
  readonly second: NpmCentre;
  readonly service: Service;
  readonly customer: Customer;

  constructor(first: NpmCentre, second: NpmCentre, service: Service, customer: Customer) {
    [this.first, this.second, this.service, this.customer] = [first, second, service, customer];
  }

  async send(message: string, phone = "9876543210"): Promise<string> {
    const { status, headers } = await this.service.post(this.customer.apiKey, "/send-sms", { phone, message });
    expect(status).toBe(200);
    return String(headers["x-message-id"]);
  }

  async shown(id: string): Promise<Shown | undefined> {
    const { body } = await this.service.call(`/v1/messages/${id}`, {
      headers: { authorization: `Bearer ${this.customer.apiKey}` },
    });
    return (body as unknown as { message?: Shown }).message;
  }

  async balance(): Promise<number> {
    const { body } = await this.service.call("/account-balance", {
      headers: { authorization: `Bearer ${this.customer.apiKey}` },
    });
    return Number(body.balance);
  }

  /** The message once it is in this state; asks no oftener than an account may. */
  async ends(id: string, state: string): Promise<Shown> {
    for (;;) {
      const shown = await this.shown(id);
      if (shown?.state === state) return shown;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

async function start(): Promise<Routed> {
  const [first, second] = [new NpmCentre(await freePort()), new NpmCentre(await freePort())];
  for (const centre of [first, second]) await centre.start();
  const service = await startService();
  onTestFinished(async () => {
    await service.kill9();
    for (const centre of [first, second]) centre.stop();
  });
  for (const [name, { port }] of [
    ["first", first],
    ["second", second],
  ] as const) {
    const settings = { host: "127.0.0.1", port, system_id: "acme", response_s: 2 };
    const { status } = await service.operator("PUT", `/carriers/${name}`, {
      kind: "smpp",
      settings,
      secrets: { password: "secret" },
    });
    expect(status).toBe(200);
  }
  const routes = [{ carriers: [{ name: "first" }], fallback: ["second"] }];
  expect((await service.operator("PUT", "/routes", { routes })).status).toBe(200);
  await eventually(() => first.binds.length > 0 && second.binds.length > 0);
  return new Routed(first, second, service, await service.openAccount(1_000));
}

/** The carriers of its attempts, in order. */
const triedBy = ({ timeline }: Shown) =>
  timeline.filter(({ state }) => state === "sending").map(({ carrier }) => carrier);

const textOf = (pdu: SmppPdu | undefined) => pdu?.short_message.message;

it("sends an account's messages over the first carrier, or the second where it certainly said no, for one charge each", async () => {
  const world = await start();
  const { first, second, customer } = world;

  const taken = await world.send("Hello");
  await world.ends(taken, "submitted");
  expect([first.got.length, second.got.length]).toEqual([1, 0]);
  expect(await first.deliver("id:n1 stat:DELIVRD err:000")).toBe(0);
  const delivered = await world.ends(taken, "delivered");
  expect(delivered).toMatchObject({ cost: CHARGE, refunded: false });
  expect(delivered.timeline.at(-1)).toMatchObject({ state: "delivered", carrier: "first" });

  first.answer = () => ({ status: THROTTLED });
  const passedOn = await world.send("नमस्ते");
  const { timeline } = await world.ends(passedOn, "submitted");
  expect(timeline.filter(({ state }) => state === "sending").map(({ carrier }) => carrier)).toEqual([
    "first",
    "second",
  ]);
  expect(timeline.find(({ state, attempt }) => state === "queued" && attempt === 1)).toMatchObject({
    carrier: "first",
  });
  expect(textOf(second.got[0])).toBe("नमस्ते");
  // Under an id of the other carrier a receipt is no one's.
  expect(await first.deliver("id:x1 stat:REJECTD err:001")).toBe(0);
  expect(await second.deliver("id:n1 stat:DELIVRD err:000")).toBe(0);
  expect((await world.ends(passedOn, "delivered")).timeline.at(-1)).toMatchObject({ carrier: "second" });
  expect(await world.balance()).toBe(1_000 - 2 * CHARGE);

  first.answer = () => ({ status: BAD_NUMBER });
  const given = second.got.length;
  const refused = await world.send("Hello");
  const failed = await world.ends(refused, "failed");
  expect([failed.refunded, triedBy(failed)]).toEqual([true, ["first"]]);
  expect(second.got).toHaveLength(given);
  expect(await world.balance()).toBe(1_000 - 2 * CHARGE);

  // The centre goes away with the message and without a word: no other carrier gets it.
  first.answer = () => {
    first.stop();
    return null;
  };
  const cut = await world.send("Hello");
  await world.ends(cut, "unknown");
  expect(second.got).toHaveLength(given);
  expect(await world.balance()).toBe(1_000 - 3 * CHARGE);

  // It is away: a bulk goes over the second one, each message once.
  const recipients = Array.from({ length: 20 }, (_, nth) => `98765432${String(nth).padStart(2, "0")}`);
  const { status } = await world.service.post(customer.apiKey, "/send-bulk-sms", { recipients, message: "Sale" });
  expect(status).toBe(200);
  await eventually(() => second.got.length === given + recipients.length);
  const numbers = second.got.slice(given).map(({ destination_addr }) => destination_addr);
  expect(numbers.toSorted()).toEqual(recipients.map((phone) => `91${phone}`).toSorted());
  expect(await world.balance()).toBe(1_000 - 23 * CHARGE);
});
