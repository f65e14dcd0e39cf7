import { readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../harness/http.ts";
import { freePort } from "../../../harness/program.ts";
import { signWebhook, verifyWebhook } from "../../../sdk/src/index.ts";
import { installedBesideService } from "./command-line.ts";
import { NODE_20, begin, failure, json, ran } from "./terminal.ts";

// The program `dastak`, as npm installs it, against a running service: each command, its mistakes, and its statuses.

const place = installedBesideService();
const { shellUnder } = place;
const SEND = ["send-sms", "--to", "9876543210", "--text", "Knock"];
const NODES = [["24", process.execPath], ...(NODE_20 === undefined ? [] : [["20", NODE_20]])] as [string, string][];

describe.each(NODES)("under Node %s", (_name, node) => {
  it("sends, and shows what was sent and what became of it", async () => {
    const { shell } = await shellUnder(node);
    const sent = await ran(shell, ["send-sms", "--to", "+91 98765-43210", "--text", "-"], "From a pipe\n");
    expect(sent).toMatchObject({ status: 0, stderr: "" });
    expect(json(sent)).toMatchObject({ message_id: expect.stringMatching(/^msg_/u), coins_used: 1, replayed: false });
    const inbox = json(await ran(shell, ["inbox", "--wait", "--to", "9876543210"]));
    expect(inbox).toMatchObject({ to: "+919876543210", text: "From a pipe" });
    const { message_id: id, request_id: request } = json(sent) as Record<string, string>;
    expect(json(await ran(shell, ["messages", "get", id ?? ""]))).toMatchObject({ id, text: "From a pipe" });
    expect(json(await ran(shell, ["requests", "get", request ?? ""]))).toMatchObject({ request: { recipients: 1 } });
    expect(json(await ran(shell, ["messages", "--limit", "5"]))).toMatchObject({ data: [{ id }], has_more: false });
    const { balance } = json(await ran(shell, ["balance"])) as { balance: number };
    expect(json(await ran(shell, ["otp", "--to", "9876543210", "--code", "048213"]))).toMatchObject({
      details: { otp_sent: "048213" },
    });
    expect(json(await ran(shell, ["inbox", "--search", "kind:otp"]))).toMatchObject({ data: [{ code: "048213" }] });
    expect((json(await ran(shell, ["balance"])) as { balance: number }).balance).toBeLessThan(balance);
    const abroad = ["send-international-sms", "--to", "0044 7700 900123", "--text", "Hello"];
    expect(json(await ran(shell, abroad))).toMatchObject({ replayed: false });
    const call = ["call", "--to", "09876543210", "--text", "Namaste", "--language", "HI", "--voice", "female"];
    expect(json(await ran(shell, call))).toMatchObject({ message_id: expect.stringMatching(/^call_/u) });
  });

  it("sends once under one idempotency key", async () => {
    const { shell } = await shellUnder(node);
    const once = [...SEND, "--idempotency-key", "order-1"];
    const first = json(await ran(shell, once));
    expect(first).toMatchObject({ replayed: false, idempotency_key: "order-1" });
    expect(json(await ran(shell, once))).toMatchObject({ replayed: true, message_id: first["message_id"] });
    const other = await ran(shell, [...SEND.slice(0, -1), "Other", "--idempotency-key", "order-1"]);
    expect([other.status, failure(other)["code"]]).toEqual([4, "idempotency_mismatch"]);
  });

  it("takes back what is scheduled", async () => {
    const { shell } = await shellUnder(node);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { message_id: id } = json(await ran(shell, [...SEND, "--at", at])) as { message_id: string };
    expect(json(await ran(shell, ["cancel", id]))).toEqual({ cancelled: 1, refunded: 1 });
    expect(json(await ran(shell, ["messages", "get", id]))).toMatchObject({ state: "cancelled", refunded: true });
    const unknown = await ran(shell, ["cancel", "msg_0"]);
    expect([unknown.status, failure(unknown)["code"]]).toEqual([4, "not_found"]);
  });

  it("is well on a sound machine, and says what is wrong on another", async () => {
    const { shell } = await shellUnder(node);
    const well = await ran(shell, ["doctor"]);
    const names = (json(well)["checks"] as { name: string; ok: boolean | null }[]).map(({ name, ok }) => [name, ok]);
    expect(names).toEqual([
      ["node", true],
      ["profiles", null],
      ["address", true],
      ["key", true],
      ["send", true],
      ["clock", true],
    ]);
    expect(well.status).toBe(0);
    const badKey = await ran(shell, ["doctor", "--api-key", "dsk_test_nope"]);
    expect([badKey.status, failure(badKey)["message"]]).toEqual([1, "What fails: key."]);
    const nowhere = await ran(shell, ["doctor", "--url", `http://127.0.0.1:${await freePort()}`]);
    expect([nowhere.status, failure(nowhere)["message"]]).toEqual([1, "What fails: address."]);
  });

  it("watches quietly until Ctrl-C", async () => {
    const { shell } = await shellUnder(node);
    for (const args of [
      ["inbox", "--watch"],
      ["events", "tail"],
      ["logs", "tail"],
    ]) {
      const watch = begin(shell, args);
      let sends = 0;
      await until(`dastak ${args.join(" ")} shows a message`, async () => {
        if (sends < 20) await ran(shell, [...SEND.slice(0, -1), `Number ${(sends += 1)}`]);
        return watch.seen.stdout.includes("\n");
      });
      watch.interrupt();
      const { status, stdout, stderr } = await watch.ended;
      expect([args, status, stderr]).toEqual([args, 130, ""]);
      for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
    }
  });
});

describe("keys", () => {
  it("are stored for their owner alone, chosen, and forgotten", async () => {
    const { shell, config, customer } = await shellUnder();
    const bare = { ...shell, env: { XDG_CONFIG_HOME: config } };
    const url = place.url();
    const none = await ran(bare, ["balance"]);
    expect([none.status, failure(none)["code"]]).toEqual([3, "unauthorized"]);
    const login = ["login", "--api-key", "-", "--url", url];
    expect(json(await ran(bare, login, `${customer.testKey}\n`))).toMatchObject({ profile: "default", url });
    expect(await ran(bare, [...login, "--profile", "shop"], `${customer.apiKey}\n`)).toMatchObject({ status: 0 });
    const stored = path.join(config, "dastak/config.json");
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(stored)).mode & 0o777).toBe(0o700);
    expect(json(await ran(bare, ["balance"]))).toMatchObject({ mode: "test" });
    expect(json(await ran(bare, ["balance", "-p", "shop"]))).toMatchObject({ mode: "live", balance: 100 });
    const named = { ...bare, env: { ...bare.env, DASTAK_PROFILE: "shop" } };
    expect(json(await ran(named, ["balance"]))).toMatchObject({ mode: "live" });
    expect(json(await ran(named, ["balance", "--api-key", customer.testKey]))).toMatchObject({ mode: "test" });
    await ran(bare, ["profiles", "use", "shop"]);
    const listed = await ran(bare, ["profiles"]);
    expect(json(listed)["data"]).toMatchObject([
      { name: "default", used: false },
      { name: "shop", used: true },
    ]);
    expect(listed.stdout).not.toContain(customer.apiKey);
    await ran(bare, ["logout", "--profile", "shop"]);
    expect(readFileSync(stored, "utf8")).not.toContain(customer.apiKey);
    expect((await ran(bare, ["balance", "-p", "shop"])).status).toBe(2);
    expect((await ran(bare, ["balance"])).status).toBe(0);
  });

  it("that the service does not know are not stored, and nothing is asked without a terminal", async () => {
    const { shell, config } = await shellUnder();
    const bare = { ...shell, env: { XDG_CONFIG_HOME: config, DASTAK_URL: place.url() } };
    const unknown = await ran(bare, ["login", "--api-key", "dsk_test_nope"]);
    expect([unknown.status, failure(unknown)["code"]]).toEqual([3, "unauthorized"]);
    expect((await ran(bare, ["login"])).status).toBe(2);
    expect(json(await ran(bare, ["profiles"]))).toEqual({ data: [] });
  });

  it("that are live send outside a terminal only with --yes", async () => {
    const { shell, customer } = await shellUnder();
    const live = { ...shell, env: { ...shell.env, DASTAK_API_KEY: customer.apiKey } };
    const held = await ran(live, SEND);
    expect([held.status, failure(held)["code"]]).toEqual([2, "confirm"]);
    expect(json(await ran(live, ["balance"]))).toMatchObject({ balance: 100 });
    expect(json(await ran(live, [...SEND, "--dry-run"]))).toMatchObject({ dry_run: true, would: "send" });
    expect((await ran(live, [...SEND, "--yes"])).status).toBe(0);
    expect(json(await ran(live, ["balance"]))).toMatchObject({ balance: 99 });
  });
});

describe("webhooks", () => {
  it("are delivered to this machine without a tunnel, signed with a secret that stays", async () => {
    const { shell } = await shellUnder();
    const came: Promise<string>[] = [];
    const listen = ["webhooks", "listen", "--forward-to"];
    const { secret } = json(await ran(shell, [...listen, "localhost:1", "--print-secret"])) as { secret: string };
    const server = http.createServer((request, reply) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        came.push(verifyWebhook(Buffer.concat(pieces), request.headers, secret).then(({ type }) => type));
        reply.end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    await ran(shell, ["events", "tail", "--until-now"]);
    await ran(shell, SEND);
    const to = `127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const forward = begin(shell, [...listen, to, "--after", "0", "--type", "message.*"]);
    await until("an event is delivered", () => came.length > 0);
    forward.interrupt();
    const { status, stdout } = await forward.ended;
    const [head = "", first = ""] = stdout.split("\n");
    expect(status).toBe(130);
    expect(JSON.parse(head)).toMatchObject({ kind: "listening", secret });
    if (first !== "") expect(JSON.parse(first)).toMatchObject({ kind: "delivery", status: 200 });
    for (const type of await Promise.all(came)) expect(type).toMatch(/^message\./u);
  });

  it("are made, tried, listed and deleted", async () => {
    const { shell } = await place.shellUnder();
    const made = await ran(shell, ["webhooks", "create", "--to", "https://hooks.example.com/x", "--type", "message.*"]);
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(json(made)).toMatchObject({ secret: expect.stringMatching(/^whsec_/u), webhook: { types: ["message.*"] } });
    const { webhook_id: id } = json(made)["webhook"] as { webhook_id: string };
    expect(json(await ran(shell, ["webhooks", "list"]))).toMatchObject({ data: [{ webhook_id: id }] });
    expect((await ran(shell, ["webhooks", "test", id])).status).toBe(0);
    expect(json(await ran(shell, ["webhooks", "attempts", id]))).toMatchObject({ has_more: false });
    expect(json(await ran(shell, ["webhooks", "replay", id, "--from", "1"]))).toEqual({ replayed: expect.any(Number) });
    expect((await ran(shell, ["webhooks", "delete", id])).status).toBe(0);
    expect((await ran(shell, ["webhooks", "attempts", id])).status).toBe(4);
    const refused = await ran(shell, ["webhooks", "create", "--to", "https://name:password@hooks.example.com/x"]);
    expect([refused.status, failure(refused)["param"]]).toEqual([4, "url"]);
  });

  it("are verified here", async () => {
    const { shell } = await shellUnder();
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const body = '{"type":"test"}\n';
    const headers = Object.entries(await signWebhook(body, "evt_1", secret)).flatMap(([name, value]) => [
      "--header",
      `${name}: ${value}`,
    ]);
    const args = (text: string) => [
      "webhooks",
      "verify",
      "--body",
      place.file("body.json", text),
      "--secret",
      secret,
      ...headers,
    ];
    expect(json(await ran(shell, args(body)))).toMatchObject({ valid: true });
    const forged = await ran(shell, args(body.trimEnd()));
    expect([forged.status, failure(forged)["code"]]).toEqual([1, "signature"]);
  });
});
