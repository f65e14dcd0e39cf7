import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { activityCsv, csvCell, phoneCell } from "../../src/activity/csv.ts";
import { messageId, objectName } from "../../src/crypto/ids.ts";
import { newKeyId, showKey } from "../../src/crypto/api-key.ts";
import { readPhone } from "../../src/text/phones.ts";
import { readRecipients } from "../../src/text/recipients.ts";
import { bearer, dispatch, follow, messagesOf, post, recordHistory, runAlarm, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { visit } from "../world/visitor.ts";

/** Parses CSV strictly as in RFC 4180; throws on anything else. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/suy;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
    if (cell.lastIndex === text.length) return rows;
  }
  throw new Error("this is no CSV");
}

async function bulk(world: World, count: number, first: number) {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + first + at));
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.status).toBe(200);
}

const messageIdOf = (world: World, { seq, index }: { seq: number; index: number }) =>
  messageId(env.KEY_SECRET, world.ref, "sms", { seq, index });

it("contains every message that the search matches, old and new, in the order of the list", async () => {
  const { visitor, world } = await visit({ mode: "test", balance: 10_000 });
  for (let sent = 0; sent < 2; sent += 1) await bulk(world, 1_100, sent * 2_000);
  for (let sent = 0; sent < 33; sent += 1) await sendSms(world, { body: { phone: "7000000001" } });
  const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
  await dispatch(world, seqs);
  await follow(world, seqs);
  await recordHistory(world, seqs);
  await runAlarm(world);
  await bulk(world, 120, 8_000);
  const all = (await messagesOf(world)).toReversed();
  expect(all.length).toBe(2_353);

  const file = await visitor.get("/activity.csv");
  expect(file.headers.get("content-type")).toContain("text/csv; charset=utf-8");
  expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="activity-\d{4}-\d\d-\d\d\.csv"$/u);
  // The body starts with a byte order mark; Response.text() strips it.
  const [head, ...rows] = readCsv(file.text);
  expect(head?.slice(0, 3)).toEqual(["time", "message_id", "request_id"]);
  expect(rows.map((row) => row[1])).toEqual(all.map((row) => messageIdOf(world, row)));
  expect(rows[0]).toMatchObject([
    new Date(all[0]?.createdAt ?? 0).toISOString(),
    expect.stringMatching(/^msg_/u),
    all[0]?.requestId,
    "sms",
    phoneCell(all[0]?.to ?? ""),
    "queued",
    "1.00",
    "no",
    "first key",
    "",
    "0",
    "",
    expect.any(String),
  ]);

  const failed = readCsv((await visitor.get("/activity.csv?q=state:failed")).text).slice(1);
  expect(failed).toHaveLength(33);
  expect(failed.every((row) => row[5] === "failed" && row[7] === "yes" && row[11] === "rejected_by_carrier")).toBe(
    true,
  );
});

it("starts with a byte order mark for spreadsheets, and reads a page only when the client pulls", async () => {
  const { world } = await visit({ mode: "test", balance: 10_000 });
  await bulk(world, 2_500, 0);
  let looks = 0;
  const stub = {
    look: (asked: Parameters<typeof world.stub.look>[0]) => {
      looks += 1;
      return world.stub.look(asked);
    },
  };
  const source = { env, ref: world.ref, stub: stub as unknown as typeof world.stub };
  const reader = activityCsv(source, env.KEY_SECRET, [], []).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  expect(looks).toBe(0);
  const mark = await reader.read();
  expect(mark.value?.slice(0, 3)).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf));
  expect(looks).toBe(0);
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value).split("\r\n")).toHaveLength(1_001);
  expect(looks).toBe(1);
  await reader.cancel();
  expect(looks).toBe(1);
});

it("is refused when part of the search was not understood, because a file cannot report what was ignored", async () => {
  const { visitor } = await visit();
  const file = await visitor.get("/activity.csv?q=kind:fax");
  expect(file.status).toBe(400);
  expect(file.text).toContain("“fax” isn&#39;t a valid value for “kind:”");
});

it("escapes cells that a spreadsheet would run as formulas", async () => {
  expect(csvCell("=HYPERLINK(1)")).toBe("'=HYPERLINK(1)");
  expect(csvCell("@SUM(1)")).toBe("'@SUM(1)");
  expect(csvCell("-2+3")).toBe("'-2+3");
  expect(csvCell("+cmd|' /C calc'!A0")).toBe("'+cmd|' /C calc'!A0");
  expect(csvCell("+919876543210")).toBe("+919876543210");
  // Spreadsheets read full-width signs as plain ones, and leave out what is not visible before them.
  for (const sign of ["=", "+", "-", "@", "＝", "＋", "－", "＠"]) {
    for (const before of ["", " ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u2060", "\u202e", "\u00ad\t", "\u3164"]) {
      expect(csvCell(`${before}${sign}1+1`)).toBe(`'${before}${sign}1+1`);
    }
  }
  for (const plain of ["a=b", "नमस्ते", "1-2", "\u200dक"]) expect(csvCell(plain)).toBe(plain);
  const { visitor, world } = await visit();
  const keyId = newKeyId(env.KEY_SECRET, "live", null);
  await env.ACCOUNT.getByName(objectName(world.ref)).makeKey(keyId, '=1+1,"x"\r\n@');
  await sendSms({ ...world, apiKey: showKey(env.KEY_SECRET, { ...world.ref, keyId }) });
  const [, row] = readCsv((await visitor.get("/activity.csv")).text);
  expect(row?.[8]).toBe('\'=1+1,"x"\r\n@');
});

it("writes numbers that spreadsheets keep as text, which forms read as the same numbers", () => {
  expect(phoneCell("+919876543210")).toBe("(+91) 98765 43210");
  expect(phoneCell("+14155550132")).toBe("(+1) 415 555 0132");
  for (const number of ["+919876543210", "+912212345678", "+14155550132", "+447911123456", "+390669812345"]) {
    const cell = phoneCell(number);
    expect(csvCell(cell)).toBe(cell);
    // Neither a formula nor a number: every spreadsheet takes it as text.
    expect(cell).toMatch(/^\(\+\d+\) \d/u);
    expect(readPhone(cell, "called")).toEqual({ ok: true, number, sure: true });
  }
});

it("can be sent to again: the bulk form reads the exported file", async () => {
  const { visitor, world } = await visit({ balance: 100 });
  const recipients = ["9876543210", "9198765432", "6000000001"];
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  const { text } = await visitor.get("/activity.csv");
  const { numbers, faults } = readRecipients(text);
  expect({ numbers: numbers.toSorted(), faults }).toEqual({ numbers: recipients.toSorted(), faults: [] });
});

it("keeps the content and position of any cell", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 5 }), (cells) => {
      const [row] = readCsv(`${cells.map(csvCell).join(",")}\r\n`);
      expect(row).toHaveLength(cells.length);
      for (const [at, cell] of cells.entries()) expect([cell, `'${cell}`]).toContain(row?.[at]);
    }),
    { numRuns: 1_000 },
  );
});
