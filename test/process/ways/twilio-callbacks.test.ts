import twilio from "twilio";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../../harness/http.ts";
import { startService } from "../../../harness/started.ts";
import { Receiver } from "./receiver.ts";
import type { Answers } from "./receiver.ts";

// Status callbacks while the service is killed and the receivers fail in every way: each message's states arrive in
// order, and a server that is dead holds up no other.

const SETTINGS = { SWEEP_MS: "500", WEBHOOK_LADDER_MS: "300,300,300,300", WEBHOOK_TIMEOUT_MS: "1000" };

const MESSAGES = 24;

/** Refuses the first posts of each kind, in every way, and takes the rest. */
const failing: Answers = (response, _posted, nth) => {
  if (nth % 3 !== 1) return Boolean(response.writeHead(204).end());
  const faults: (() => unknown)[] = [
    () => response.writeHead(500).end(),
    () => response.writeHead(302, { location: "/elsewhere" }).end(),
    // Hangs: the service gives it up.
    () => undefined,
    () => response.destroy(),
  ];
  faults[Math.floor(nth / 3) % faults.length]?.();
  return false;
};

async function receiverFor(answers: Answers): Promise<Receiver> {
  const receiver = await new Receiver(answers).open();
  onTestFinished(() => receiver.close());
  return receiver;
}

it("tells every message's address of its end, through faults of receivers and kills of the service", async () => {
  const flaky = await receiverFor(failing);
  const dead = await receiverFor(() => false);
  let service = await startService({ set: SETTINGS });
  onTestFinished(() => service.kill9());
  const { apiKey } = await service.openAccount(1_000);
  const post = (fields: Record<string, string>, token: string) =>
    service.call(`/2010-04-01/Accounts/AC1/Messages.json`, {
      method: "POST",
      body: { To: "+919876543210", Body: "Hello", ...fields },
      headers: { authorization: `Basic ${btoa(`AC1:${apiKey}`)}`, "i-twilio-idempotency-token": token },
    });
  const sids = new Set<unknown>();
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    const receiver = sent % 4 === 3 ? dead : flaky;
    const fields = { StatusCallback: `${receiver.base}/status/${sent}` };
    await until("an order is taken", async () => {
      const { status, body } = await post(fields, `order-${sent}`);
      if (status === 201 && receiver === flaky) sids.add((body as { sid?: string }).sid);
      return status === 201;
    });
    if (sent === 9 || sent === 17) {
      await service.kill9();
      service = await startService({ set: SETTINGS, state: service.state, port: service.port });
    }
  }
  const told = () => flaky.got.filter(({ taken, fields }) => taken && fields["MessageStatus"] === "delivered");
  await until(
    "each is told of its delivery",
    () => new Set(told().map(({ fields }) => fields["MessageSid"])).size === sids.size,
    {
      withinMs: 180_000,
      everyMs: 500,
      sight: () => ({
        got: flaky.got.map(({ fields, taken }) => [fields["MessageSid"], fields["MessageStatus"], taken]),
        log: service.program.output.slice(-2_000),
      }),
    },
  );
  expect(flaky.got.map(({ url }) => new URL(url).pathname)).not.toContain("/elsewhere");
  for (const { url, signature, fields } of flaky.got) {
    expect(twilio.validateRequest(apiKey, signature, url, fields)).toBe(true);
  }
  for (const same of Map.groupBy(flaky.got, ({ fields }) => fields["MessageSid"]).values()) {
    expect(sids).toContain(same[0]?.fields["MessageSid"]);
    const states = same.flatMap(({ taken, fields }) => (taken ? [fields["MessageStatus"]] : []));
    expect([...new Set(states)]).toEqual(states.includes("sent") ? ["sent", "delivered"] : ["delivered"]);
  }
  // A few tries and no more, however many messages wait for the server that is dead.
  expect(dead.got.length).toBeLessThan(6 * 2 * 5);
});
