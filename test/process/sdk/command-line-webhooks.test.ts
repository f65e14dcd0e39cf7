import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../harness/http.ts";
import { signWebhook, verifyWebhook } from "../../../sdk/src/index.ts";
import { installedBesideService } from "./command-line.ts";
import { begin, failure, json, ran } from "./terminal.ts";

// Hooks and webhooks with the program `dastak`, as npm installs it, against a running service.

const place = installedBesideService();
const { shellUnder } = place;

describe("hooks", () => {
  it("are made for Supabase Auth, the same one each time", async () => {
    const { shell } = await place.shellUnder();
    const made = await ran(shell, ["hooks", "create", "supabase", "--brand", "Shop"]);
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(json(made)).toEqual({
      hook: { kind: "supabase", url: expect.any(String), key_id: expect.any(String), brand_name: "Shop" },
      secret: expect.stringMatching(/^v1,whsec_/u),
    });
    expect((await ran(shell, ["hooks", "create", "supabase", "--brand", "Shop"])).stdout).toBe(made.stdout);
    expect((await ran(shell, ["hooks", "create", "firebase"])).status).toBe(2);
    expect((await ran(shell, ["hooks", "create"])).status).toBe(2);
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
    await ran(shell, ["send-sms", "--to", "9876543210", "--text", "Knock"]);
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

  it("are changed, stopped and begun again, and get another secret", async () => {
    const { shell } = await place.shellUnder();
    const made = json(await ran(shell, ["webhooks", "create", "--to", "https://hooks.example.com/x", "--batch"]));
    const { webhook, secret } = made as { webhook: Record<string, unknown>; secret: string };
    const update = ["webhooks", "update", String(webhook["webhook_id"])];
    const terms = ["--to", "https://hooks.example.com/y", "-t", "message.*", "-t", "balance.low", "--batch", "off"];
    expect(json(await ran(shell, [...update, ...terms, "--description", "Shop"]))["webhook"]).toEqual({
      ...webhook,
      url: "https://hooks.example.com/y",
      types: ["message.*", "balance.low"],
      batch: false,
      description: "Shop",
    });
    expect(json(await ran(shell, [...update, "--state", "disabled"]))).toMatchObject({
      webhook: { state: "disabled" },
    });
    const begun = json(await ran(shell, [...update, "--state", "active", "--skip"]));
    expect(begun).toMatchObject({ webhook: { state: "active", description: "Shop", batch: false } });
    for (const wrong of [[], ["--batch", "yes"], ["--state", "off"]]) {
      expect((await ran(shell, [...update, ...wrong])).status).toBe(2);
    }
    const refused = await ran(shell, [...update, "--to", "https://hooks.example.com/#part"]);
    expect([refused.status, failure(refused)["param"]]).toEqual([4, "url"]);
    const rotated = json(await ran(shell, ["webhooks", "rotate", String(webhook["webhook_id"]), "--overlap", "3600"]));
    expect(rotated).toMatchObject({ secret: expect.stringMatching(/^whsec_/u), webhook: { url: terms[1] } });
    expect(rotated["secret"]).not.toBe(secret);
    const long = ["webhooks", "rotate", String(webhook["webhook_id"]), "--overlap", "604801"];
    expect((await ran(shell, long)).status).toBe(2);
    expect((await ran(shell, ["webhooks", "rotate", "wh_0"])).status).toBe(4);
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
