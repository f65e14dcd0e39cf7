import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SELF_CHECK, untar } from "../world/tar.ts";
import { streamOf, tarOf } from "../../src/leaving/export/tar.ts";
import type { TarFile } from "../../src/leaving/export/tar.ts";
import { recordingKey } from "../../src/recordings/signed-address.ts";
import { exportStream, readExportPlace } from "../../src/leaving/export/export.ts";
import { fullAccount, worldOf } from "../world/leaving.ts";
import { openAccount } from "../world/operating.ts";
import { customerWithLogin } from "../world/people.ts";
import { otpText } from "../../src/text/otp-text.ts";
import { bearer, call, operator, post, sendBulk } from "../world/world.ts";
import { wav } from "../world/recordings.ts";

// The export of an account: a valid archive with everything in it.

const bytesOf = async (stream: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(stream).arrayBuffer());

/** The files of an export. */
async function filesOf(stream: ReadableStream<Uint8Array>): Promise<Map<string, string>> {
  return untar(await bytesOf(stream.pipeThrough(new DecompressionStream("gzip"))));
}

const exported = (accountId: string, after: string | null = null) =>
  filesOf(exportStream(env, { accountId, after: after === null ? null : readExportPlace(after), nowMs: Date.now() }));

const rowsOf = (text: string | undefined) =>
  (text ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function* some(files: TarFile[]): AsyncGenerator<TarFile> {
  yield* files;
}

describe("the archive's format", () => {
  it("is ustar with checksums, whole blocks and an end, which another program reads", async () => {
    const texts = ["", "a", "x".repeat(512), "y".repeat(513)];
    const files = texts.map((text, at): TarFile => {
      const bytes = new TextEncoder().encode(text);
      return at % 2 === 0
        ? { name: `f${at}`, at: 1_700_000_000_000, bytes }
        : { name: `f${at}`, at: 1, size: bytes.length, body: new Blob([bytes]).stream() };
    });
    const tar = await bytesOf(streamOf(tarOf(some(files))));
    expect(tar.length % 512).toBe(0);
    expect([...untar(tar)]).toEqual(texts.map((text, at) => [`f${at}`, text]));
    // The same file as GNU tar writes it with --format=ustar, but for its owner's name.
    const gnu = await bytesOf(
      streamOf(tarOf(some([{ name: "hello.txt", at: 0, bytes: new TextEncoder().encode("hi\n") }]))),
    );
    expect(Buffer.from(gnu.subarray(0, 263)).toString("latin1")).toBe(SELF_CHECK);
  });

  it("ends with an error where a file has another size than was said, and is made only as it is read", async () => {
    const wrong: TarFile = { name: "f", at: 1, size: 4, body: new Blob(["five!"]).stream() };
    await expect(bytesOf(streamOf(tarOf(some([wrong]))))).rejects.toThrow("another size");
    let made = 0;
    const endless = (async function* (): AsyncGenerator<TarFile> {
      for (;;) {
        made += 1;
        yield { name: `f${made}`, at: 1, bytes: new Uint8Array(512) };
      }
    })();
    const reader = streamOf(tarOf(endless)).getReader();
    for (let read = 0; read < 6; read += 1) await reader.read();
    await reader.cancel();
    expect(made).toBeLessThanOrEqual(4);
  });
});

describe("the export of an account", () => {
  it("has everything of both modes, whole, with codes masked", async () => {
    const { accountId, apiKey, testKey } = await fullAccount("Exported", 20);
    const code = { phone: "9876500001", otp: "731904", brandName: "Shop" };
    for (const key of [apiKey, testKey]) {
      expect((await post("http://otp.localhost/send-otp", code, bearer(key))).status).toBe(200);
    }
    const upload = { fileName: "a.wav", base64Data: Buffer.from(wav({})).toString("base64") };
    expect((await post("http://voice.localhost/api/upload-voice", upload, { "x-api-key": apiKey })).status).toBe(200);
    const reply = await operator("GET", `/operator/accounts/${accountId}/export`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-disposition")).toContain(`${accountId}-`);
    const files = await exported(accountId);
    const names = [...files.keys()];
    for (const mode of ["live", "test"]) {
      expect(names).toEqual(
        expect.arrayContaining([`${mode}/account.json`, `${mode}/keys.json`, `${mode}/ledger-000001.ndjson`]),
      );
    }
    const [messages] = names.filter((name) => name.startsWith("live/messages"));
    const rows = rowsOf(files.get(messages ?? ""));
    expect(rows).toMatchObject([
      { operation: "sms", to: "+919876543210", text: "Namaste", state: "delivered", timeline: expect.any(Array) },
      { operation: "otp", to: "+919876500001" },
    ]);
    const all = [...files.values()].join("\n");
    expect(all).not.toContain("731904");
    expect(all).not.toContain(apiKey);
    const [file] = names.filter((name) => name.endsWith(".wav"));
    expect(files.get(file ?? "")).toBe(Buffer.from(wav({})).toString("latin1"));
    expect(rowsOf(files.get("live/recordings/list-000001.ndjson"))).toMatchObject([
      { name: "a.wav", mime: "audio/wav" },
    ]);
    for (const mode of ["live", "test"]) {
      expect(rowsOf(files.get(`${mode}/refusals-000001.ndjson`))).toMatchObject([
        { code: "invalid_request", param: "phone", fields: { phone: "string(5)" } },
      ]);
    }
    expect(rowsOf(files.get("audit/acts-000001.ndjson")).map(({ action }) => action)).toContain("account.opened");
    expect(JSON.parse(files.get("manifest.json") ?? "{}")).toMatchObject({
      account_id: accountId,
      next: null,
      messages: 4,
    });
    const ledger = rowsOf(files.get("live/ledger-000001.ndjson"));
    const balance = JSON.parse(files.get("live/account.json") ?? "{}") as { balance: number };
    expect(ledger.reduce((sum, { amount }) => sum + Number(amount), 0)).toBeCloseTo(balance.balance, 4);
  });

  it("masks a code that went to another country as an SMS", async () => {
    const { accountId, apiKey } = await openAccount({ balance: 50 });
    const message = otpText("Shop", "731904");
    const sent = { phone: "+14155550132", message };
    expect((await post("http://sms.localhost/send-international-sms", sent, bearer(apiKey))).status).toBe(200);
    const texts = [...(await exported(accountId)).values()].join("\n");
    expect(texts).toContain(" is your one-time password for Shop.");
    expect(texts).not.toContain("731904");
  });

  it("continues after a place, with messages alone", async () => {
    const { accountId, apiKey } = await openAccount({ balance: 1_000 });
    const world = worldOf({ accountId, apiKey });
    for (let bulk = 0; bulk < 3; bulk += 1) await sendBulk(world, 150);
    const whole = await exported(accountId);
    const rows = [...whole].filter(([name]) => name.startsWith("live/messages")).flatMap(([, text]) => rowsOf(text));
    expect(rows).toHaveLength(450);
    const after = Number(rows[149]?.["seq"]);
    const rest = await exported(accountId, `live.${after}`);
    expect([...rest.keys()].filter((name) => !name.includes("messages"))).toEqual(["manifest.json"]);
    const later = [...rest].filter(([name]) => name.startsWith("live/messages")).flatMap(([, text]) => rowsOf(text));
    expect(later).toEqual(rows.slice(150));
    expect((await operator("GET", `/operator/accounts/${accountId}/export?after=live`)).status).toBe(400);
  });

  it("has the person, whose button downloads it, and the archived months", async () => {
    const { visitor, number, email } = await customerWithLogin();
    const accountId = String(
      await env.DB.prepare("SELECT account_id FROM person WHERE email = ?").bind(email).first("account_id"),
    );
    const page = await visitor.get("/settings/export");
    expect(page.headers.get("content-type")).toBe("application/gzip");
    expect(page.headers.get("cache-control")).toBe("no-store");
    await env.ARCHIVE.put(`${accountId}/2026-01/1.ndjson.gz`, "months");
    const files = await filesOf(exportStream(env, { accountId, after: null, nowMs: Date.now() }));
    expect(JSON.parse(files.get("person.json") ?? "{}")).toMatchObject({
      phone: `+91${number}`,
      email,
      has_password: true,
    });
    expect(files.get("sessions.json")).toContain("created_at");
    expect(files.get("live/archive/2026-01/1.ndjson.gz")).toBe("months");
    expect(recordingKey({ accountId, mode: "live" }, new Uint8Array(32))).toContain(`${accountId}/`);
    expect((await call(`http://console.localhost/operator/accounts/${accountId}/export`)).status).toBe(401);
  });
});
