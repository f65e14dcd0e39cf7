import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../harness/http.ts";
import { freePort } from "../../../harness/program.ts";
import { mp3 } from "../../world/recordings.ts";
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

  it("uploads a recording once, and calls with it", async () => {
    const { shell } = await shellUnder(node);
    const { balance } = json(await ran(shell, ["balance"])) as { balance: number };
    const bytes = Buffer.from(mp3(31));
    const to = ["voice", "--to", "+91 98765 43210"];
    const args = [...to, "--file", place.file("greeting.mp3", bytes), "--idempotency-key", "call-1"];
    const first = json(await ran(shell, args));
    expect(first).toMatchObject({ message_id: expect.stringMatching(/^call_/u), file_id: expect.any(String) });
    const { message_id: id, file_id: file } = first as Record<string, string>;
    expect(json(await ran(shell, args))).toMatchObject({ replayed: true, message_id: id, file_id: file });
    // 31 seconds are two blocks of 30.
    expect(json(await ran(shell, [...to, "--file-id", file ?? "", "--dry-run"]))).toMatchObject({
      would: "send",
      cost: 4,
    });
    expect(json(await ran(shell, ["balance"]))).toMatchObject({ balance: balance - 4 });
    const { audio_url: audio } = json(await ran(shell, ["inbox", "--wait", "--to", "9876543210"])) as {
      audio_url: string;
    };
    expect(Buffer.from(await (await fetch(audio)).arrayBuffer()).equals(bytes)).toBe(true);
    const noSound = await ran(shell, [...to, "--file", place.file("letter.mp3", "Dear Sir or Madam")]);
    expect([noSound.status, failure(noSound)["code"]]).toEqual([4, "invalid_request"]);
    for (const wrong of [
      to,
      [...args, "--file-id", "file_x"],
      [...args, "--dry-run"],
      [...to, "--file", "/nowhere.mp3"],
    ]) {
      expect((await ran(shell, wrong)).status).toBe(2);
    }
  });

  it("takes back what is scheduled", async () => {
    const { shell } = await shellUnder(node);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const { message_id: id } = json(await ran(shell, [...SEND, "--at", at])) as { message_id: string };
    expect(json(await ran(shell, ["cancel", id]))).toEqual({ cancelled: 1, refunded: 1 });
    expect(json(await ran(shell, ["messages", "get", id]))).toMatchObject({
      state: "cancelled",
      refunded: true,
      send_at: at,
    });
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
