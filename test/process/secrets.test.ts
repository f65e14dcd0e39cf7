import { randomBytes, randomInt } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { messagesOf } from "../../harness/books.ts";
import { startGateway } from "../../harness/gateway.ts";
import type { Gateway } from "../../harness/gateway.ts";
import { until } from "../../harness/http.ts";
import { freshDirectory } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";

// One-time passwords, keys and texts are never stored or printed in plain text.

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** All places that the service may write to: its state, temporary files, home directory and output. */
interface Place {
  directory: string;
  service: Service;
}

async function startWatched(): Promise<Place> {
  const directory = freshDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  const [state, temporary, home] = ["state", "tmp", "home"].map((name) => path.join(directory, name));
  mkdirSync(temporary!);
  mkdirSync(home!);
  const env = { TMPDIR: temporary!, HOME: home!, XDG_CONFIG_HOME: home!, WRANGLER_LOG: "log" };
  const service = await startService({ state: state!, env, set: gateway.settings });
  onTestFinished(() => service.kill9());
  return { directory, service };
}

/** A code that does not occur by accident: of the maximum length, and not the first digits of a timestamp. */
function randomOtp(): string {
  return String(randomInt(20_000_000, 100_000_000));
}

const marker = () => `Mark${randomBytes(9).toString("hex")}`;

interface Sent {
  /** Words that must not be found. */
  secrets: string[];
  /** Words that must be found, as a check of the search itself. */
  phones: string[];
}

/** Makes a send of every kind with a text, with and without an idempotency key, in live and test mode. */
async function sendSecrets(service: Service, customer: Customer): Promise<Sent> {
  const secrets = [customer.apiKey, customer.testKey];
  const phones: string[] = [];
  const post = async (key: string, at: string, body: object, headers: Record<string, string>) => {
    const reply = await service.post(key, at, body, headers);
    expect(reply.body).toMatchObject({ success: true });
    return reply;
  };
  for (const repeatable of [false, true]) {
    for (const apiKey of [customer.apiKey, customer.testKey]) {
      const phone = String(randomInt(9_300_000_000, 9_400_000_000));
      const [otp, text, many, abroad, spoken] = [randomOtp(), marker(), marker(), marker(), marker()];
      const headers = () => (repeatable ? { "idempotency-key": randomBytes(8).toString("hex") } : ({} as never));
      const kept: Record<string, string> = headers();
      // The key in the body as well: that is how some customers send it.
      const body = { phone, otp, apiKey };
      const reply = await post(apiKey, "/send-otp", body, kept);
      expect(reply.body.details?.otp_sent).toBe(otp);
      if (repeatable) expect((await post(apiKey, "/send-otp", body, kept)).bytes.equals(reply.bytes)).toBe(true);
      await post(apiKey, "/send-sms", { phone, message: text }, headers());
      await post(apiKey, "/send-bulk-sms", { recipients: [phone], message: many }, headers());
      await post(apiKey, "/send-international-sms", { phone: "+14155550123", message: abroad }, headers());
      await post(apiKey, "/api/tts-call", { callee: phone, text: spoken }, headers());
      secrets.push(otp, text, many, abroad, spoken);
      phones.push(phone);
    }
  }
  // Refused requests are logged too.
  const refused = { phone: "12", otp: randomOtp(), message: marker() };
  for (const at of ["/send-otp", "/send-sms"]) {
    expect((await service.post(customer.apiKey, at, refused)).status).toBe(400);
  }
  secrets.push(refused.otp, refused.message);
  return { secrets, phones };
}

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Places that contain one of these words as UTF-8 or UTF-16: file names, or `output`. */
function placesOf(words: string[], { directory, service }: Place): string[] {
  const needles = words.flatMap((word) => [Buffer.from(word), Buffer.from(word, "utf16le")]);
  const hits = filesUnder(directory).filter((file) => {
    const bytes = readFileSync(file);
    return needles.some((needle) => bytes.includes(needle));
  });
  return words.some((word) => service.program.output.includes(word)) ? [...hits, "output"] : hits;
}

async function allHaveLeft(service: Service, { id }: Customer): Promise<void> {
  for (const mode of ["live", "test"] as const) {
    const left = async () => (await messagesOf(service, id, mode)).every(({ state }) => !/queued|sending/u.test(state));
    await until("every message has left", left);
  }
}

const endings: [string, (service: Service) => Promise<unknown>][] = [
  ["a stop", (service) => service.stop()],
  ["a kill", (service) => service.kill9()],
];

it.each(endings)("no file and no output contains a secret after %s", async (_ending, end) => {
  const place = await startWatched();
  const { service, directory } = place;
  const customer = await service.openAccount(1_000);
  const { secrets, phones } = await sendSecrets(service, customer);
  // Checked also while messages are still queued.
  expect(placesOf(secrets, place)).toEqual([]);
  await allHaveLeft(service, customer);
  const taken = gateway.log.map(({ text }) => text ?? "").join(" ");
  expect(secrets.filter((secret) => taken.includes(secret)).length).toBeGreaterThanOrEqual(10);
  await end(service);

  expect(placesOf(secrets, place)).toEqual([]);
  expect(placesOf(phones, place).some((file) => file.startsWith(path.join(directory, "state", "v3")))).toBe(true);
  expect(placesOf(phones, place)).not.toContain("output");
  // Request lines were printed, and the demo account's own key only in the banner.
  expect(service.program.output).toMatch(/"event":"request".*"path":"\/send-otp"/u);
  expect(placesOf([service.demo.apiKey, service.demo.testKey], place)).toEqual(["output"]);
  const [, afterBanner = ""] = service.program.output.split("wipes it.");
  expect(afterBanner).not.toMatch(/dsk_(live|test)_/u);
});
