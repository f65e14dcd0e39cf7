import { expect, it } from "vitest";
import { inParallel } from "../../harness/accounts.mjs";
import { until } from "../../harness/http.ts";
import type { Customer, Service } from "../../harness/started.ts";
import { startForTest } from "./start-for-test.ts";

// Many sends at once to `npm start`, under a sweep so short that alarms run all the time. The local queue keeps a timer
// for each of its messages and fails at 10,000, so a single send must not use it. No time is asserted.

const SENDS = 12_000;
const CLIENTS = 64;
/** The largest plan admits 200 requests a minute: none is refused, however fast the machine is. */
const ACCOUNTS = 100;
const DELIVERED_MS_MAX = 180_000;

async function deliveredOf(service: Service, { id }: Customer): Promise<number> {
  const { body } = await service.operator("GET", `/accounts/${id}/messages?limit=200`);
  return (body.data ?? []).filter((row) => (row as { state?: string }).state === "delivered").length;
}

it(`answers ${SENDS} sends of ${CLIENTS} clients under a sweep of a second, and delivers each`, async () => {
  const service = await startForTest({ set: { SWEEP_MS: "1000", LOG_REQUESTS: "failures" } });
  const customers: Customer[] = await inParallel(ACCOUNTS, () => service.openAccount(1_000), CLIENTS);
  const of = (nth: number) => customers[nth % ACCOUNTS] as Customer;
  const sendOne = async (nth: number): Promise<number> => {
    const body = { phone: `98765${String(nth).padStart(5, "0")}`, message: `Message ${nth}` };
    const once = { "Idempotency-Key": `send-${nth}` };
    return (await service.post(of(nth).apiKey, "/send-sms", body, once)).status;
  };
  const statuses: number[] = await inParallel(SENDS, sendOne, CLIENTS);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  let delivered = 0;
  await until(
    "every message is delivered",
    async () => {
      const counts: number[] = await inParallel(ACCOUNTS, (nth: number) => deliveredOf(service, of(nth)), CLIENTS);
      delivered = counts.reduce((sum, count) => sum + count, 0);
      return delivered === SENDS;
    },
    { withinMs: DELIVERED_MS_MAX, everyMs: 1_000, sight: () => delivered },
  );
  expect(service.program.output).not.toMatch(/QuotaExceededError|crashed|batch_full|"level":"error"/u);
});
