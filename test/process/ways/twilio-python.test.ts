import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../../harness/http.ts";
import { startService } from "../../../harness/started.ts";
import type { Customer, Service } from "../../../harness/started.ts";
import { Receiver } from "./receiver.ts";

// Twilio's client for Python, as Debian has it (python3-twilio), against the running service.

/** Debian's own interpreter, which has Debian's packages. */
const PYTHON = "/usr/bin/python3";

const isInstalled = spawnSync(PYTHON, ["-c", "import twilio"], { stdio: "ignore" }).status === 0;

const SID = `AC${"0".repeat(32)}`;

const PROGRAM = `
import json, os, sys
from twilio.rest import Client
from twilio.base.exceptions import TwilioRestException
from twilio.request_validator import RequestValidator

key = os.environ["DASTAK_KEY"]
if len(sys.argv) > 1:
    url, signature, fields = json.loads(sys.argv[1])
    print(json.dumps([RequestValidator(one).validate(url, fields, signature) for one in (key, "another")]))
    sys.exit()

client = Client("${SID}", key)
client.api.base_url = os.environ["BASE"]

def refused(**fields):
    try:
        client.messages.create(**fields)
    except TwilioRestException as problem:
        return [problem.status, problem.code, problem.uri]

to = "+919876543210"
sids = [client.messages.create(to=to, from_="MYSHOP", body="No. %d" % at).sid for at in range(5)]
made = client.messages.create(to=to, body="Hello", messaging_service_sid="MG" + "1" * 32, status_callback=os.environ["CALLBACK"])
listed = client.messages.list(page_size=2)
print(json.dumps({
    "made": [made.sid, made.status, made.to, made.body, made.num_segments, made.date_created is not None],
    "fetched": client.messages(made.sid).fetch().sid,
    "listed": [one.sid for one in listed],
    "sent": [made.sid] + sids[::-1],
    "balance": client.balance.fetch().balance,
    "refused": [refused(to="12", from_="X", body="y"), refused(to=to, from_="X", body="x" * 161)],
}))
`;

let service: Service;
let receiver: Receiver;
let customer: Customer;

beforeAll(async () => {
  if (!isInstalled) return;
  receiver = await new Receiver().open();
  service = await startService({ set: { SWEEP_MS: "500" } });
  customer = await service.openAccount(100);
});

afterAll(async () => {
  await service?.kill9();
  receiver?.close();
});

async function python(...args: string[]): Promise<unknown> {
  const env = {
    ...process.env,
    DASTAK_KEY: customer.apiKey,
    BASE: `http://127.0.0.1:${service.port}`,
    CALLBACK: `${receiver.base}/status?order=4711`,
  };
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", PROGRAM, ...args], { env });
  return JSON.parse(stdout) as unknown;
}

it.skipIf(!isInstalled)("serves twilio for Python, and signs what its validator takes", async () => {
  const done = (await python()) as Record<string, unknown[]>;
  const [sid] = done["made"] ?? [];
  expect(done["made"]).toEqual([sid, "queued", "+919876543210", "Hello", "1", true]);
  expect(done["fetched"]).toBe(sid);
  expect(done["listed"]).toEqual(done["sent"]);
  expect(done["balance"]).toBe("94");
  const uri = `/Accounts/${SID}/Messages.json`;
  expect(done["refused"]).toEqual([
    [400, 21_211, uri],
    [400, 21_617, uri],
  ]);
  const mine = () => receiver.got.filter(({ fields }) => fields["MessageSid"] === sid);
  await until("it is told of", () => mine().some(({ fields }) => fields["MessageStatus"] === "delivered"), {
    withinMs: 60_000,
  });
  for (const { url, signature, fields } of mine()) {
    expect(await python(JSON.stringify([url, signature, fields]))).toEqual([true, false]);
  }
});
