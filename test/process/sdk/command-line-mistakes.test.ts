import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../harness/program.ts";
import { BreakingProxy, answer } from "./breaking-proxy.ts";
import { installedBesideService } from "./command-line.ts";
import { failure, json, onTerminal, ran } from "./terminal.ts";

// The program `dastak`, as npm installs it, against a running service: what it refuses, and what it shows on a terminal.

const place = installedBesideService();
const { shellUnder } = place;

const SEND = ["send-sms", "--to", "9876543210", "--text", "Knock"];
describe("a list in a file", () => {
  it("is sent once to each number, with its quotes, marks and doubles", async () => {
    const { shell } = await shellUnder();
    const csv = place.file(
      "people.csv",
      '\uFEFFname;Phone\r\n"Asha; ""R""";+91 98765 43210\r\nBen;09876543211\r\n;\r\nCy;9876543211\r\n',
    );
    const sent = json(await ran(shell, ["bulk", "--csv", csv, "--text", "Hi"]));
    expect(sent).toMatchObject({ coins_used: 2 });
    const { data } = json(await ran(shell, ["inbox"])) as { data: { to: string }[] };
    expect(data.map(({ to }) => to).toSorted()).toEqual(["+919876543210", "+919876543211"]);
  });

  it.each([
    ["a number that is none", "phone\n9876543210\n12\n", /^Row 3: "12" is no Indian number/u],
    ["a number that a spreadsheet shortened", "phone\n9.19E+11\n", /^Row 2: "9\.19E\+11" was shortened/u],
    ["no such column", "mobile\n9876543210\n", /^The file has no column phone\.$/u],
    ["no number", "phone\n\n", /^The column phone has no number\.$/u],
    ["a quote without an end", 'phone\n"9876543210\n', /^A quoted field/u],
  ])("with %s is not sent", async (_name, text, message) => {
    const { shell } = await shellUnder();
    const refused = await ran(shell, ["bulk", "--csv", place.file("wrong.csv", text), "--text", "Hi"]);
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(failure(refused)["message"]).toMatch(message);
    expect(json(await ran(shell, ["inbox"]))).toMatchObject({ data: [] });
  });
});

describe("a dry run", () => {
  it("tells cost and problems, ends as the send would, and its quote holds", async () => {
    const { shell } = await shellUnder();
    const dry = await ran(shell, [...SEND, "--dry-run"]);
    expect([dry.status, json(dry)]).toEqual([0, expect.objectContaining({ would: "send", cost: 1 })]);
    const { quote } = json(dry) as { quote: string };
    expect(json(await ran(shell, ["preflight", ...SEND]))).toMatchObject({ would: "send", cost: 1 });
    expect((await ran(shell, [...SEND, "--quote", quote])).status).toBe(0);
    const used = await ran(shell, [...SEND, "--quote", quote]);
    expect([used.status, failure(used)["code"]]).toEqual([4, "invalid_quote"]);
    const wrong = await ran(shell, ["preflight", "send-sms", "--to", "1234567890", "--text", "Hi"]);
    expect([wrong.status, json(wrong)["would"], failure(wrong)["code"]]).toEqual([4, "refuse", "invalid_request"]);
  });
});

describe("mistakes", () => {
  it.each([
    [["balnce"], "There is no command balnce.", "Did you mean: dastak balance?"],
    [["webhooks"], "dastak webhooks needs one of: list, create", undefined],
    [["send-sms", "--to", "9876543210"], "--text is needed.", undefined],
    [["send-sms", "--tetx", "x"], "There is no option --tetx.", "Did you mean --text?"],
    [["send-sms", "--to", "9876543210", "--text"], "--text needs a value.", undefined],
    [["balance", "now"], "now is more than balance takes.", undefined],
    [["messages", "get"], "ID is missing.", undefined],
    [["messages", "--limit", "1e3"], "--limit must be a whole number from 1 to 500.", undefined],
    [["call", "--to", "9876543210", "--text", "x", "--language", "XX"], "--language must be one of EN, HI", undefined],
    [["send-sms", "--to", "+44 7700 900123", "--text", "x"], "is not Indian", undefined],
    [["send-international-sms", "--to", "7700900123", "--text", "x"], "lacks + and its country code", undefined],
    [["send-international-sms", "--to", "+44 (0)7700 900123", "--text", "x"], "has a (0)", undefined],
    [["balance", "--url", "ftp://x"], "baseUrl must be an http or https address", undefined],
    [
      ["send-sms", "--to", "9876543210", "--text", "x", "--idempotency-key", "two words"],
      "idempotencyKey must",
      undefined,
    ],
  ])("%j end with 2 and say it", async (args, message, hint) => {
    const { shell } = await shellUnder();
    const made = await ran(shell, args);
    expect([made.status, made.stdout]).toEqual([2, ""]);
    expect(failure(made)["message"]).toContain(message);
    if (hint !== undefined) expect(failure(made)["hint"]).toBe(hint);
  });

  it("of keys end with 3, refusals with 4, and what is not reached or unknown with 5", async () => {
    const { shell } = await shellUnder();
    const badKey = await ran(shell, ["balance", "--api-key", "dsk_test_nope"]);
    expect([badKey.status, failure(badKey)["code"]]).toEqual([3, "unauthorized"]);
    const refused = await ran(shell, ["messages", "get", "msg_0"]);
    expect([refused.status, failure(refused)]).toEqual([
      4,
      expect.objectContaining({ code: "not_found", request_id: expect.stringMatching(/^req_/u) }),
    ]);
    const away = await ran(shell, ["balance", "--url", `http://127.0.0.1:${await freePort()}`]);
    expect([away.status, failure(away)["code"]]).toEqual([5, "connection"]);
    const proxy = await BreakingProxy.start(place.port());
    onTestFinished(() => proxy.stop());
    const lost = answer(503, "<h1>Gone</h1>");
    proxy.faults.push(...Array.from({ length: 3 }, () => ({ kind: "answer after" as const, text: lost })));
    const unknown = await ran(shell, [...SEND, "--url", proxy.url]);
    expect(unknown.status).toBe(5);
    const { idempotency_key: key, hint } = failure(unknown) as Record<string, string>;
    expect(hint).toContain(`--idempotency-key ${key}`);
    expect(json(await ran(shell, [...SEND, "--idempotency-key", key ?? ""]))).toMatchObject({ replayed: true });
  });
});

describe("on a terminal", () => {
  it("speaks to people, in lines of at most 80 columns, in colours unless they are unwanted", async () => {
    const { shell } = await shellUnder();
    expect((await onTerminal(shell, ["balance"])).text).toBe(
      "100,000 coins of play money (test key)\n".replace("100,000", "1,00,000"),
    );
    await ran(shell, SEND);
    expect((await onTerminal(shell, ["messages"])).raw).toContain("\u001B[2m");
    const plain = { ...shell, env: { ...shell.env, NO_COLOR: "1" } };
    expect((await onTerminal(plain, ["messages"])).raw).not.toContain("\u001B");
    const list = (await onTerminal(shell, ["messages"])).text.split("\n");
    expect(list[0]).toMatch(/^AT\s+TO\s+(?:KIND\s+)?STATE\s+ID$/u);
    expect(list[1]).toMatch(/\+919876543210 {2}(?:sms +)?\w+ +msg_\w{33}$/u);
    expect(Math.max(...list.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(await onTerminal(shell, ["messages", "get", "msg_0"])).toMatchObject({
      status: 4,
      text: "There is no such message.\n",
    });
  });

  it("has help that fits for every command, and says the same of them as JSON", async () => {
    const { shell } = await shellUnder();
    const { commands } = json(await ran(shell, ["commands"])) as {
      commands: { name: string; options: object; examples: string[] }[];
    };
    expect(commands.length).toBeGreaterThan(25);
    const { text: all } = await onTerminal(shell, []);
    for (const { name, options, examples } of commands) {
      expect(all).toContain(`  ${name} `);
      const { text, status } = await onTerminal(shell, [...name.split(" "), "--help"]);
      expect(status).toBe(0);
      for (const line of text.split("\n")) {
        // An example is one line, so that it can be copied.
        const isExample = /^ {2}(?:dastak|echo|source) /u.test(line);
        expect(isExample ? 0 : line.length, line).toBeLessThanOrEqual(80);
      }
      for (const option of Object.keys(options)) expect(text).toContain(`--${option}`);
      expect(examples[0]).toContain(`dastak ${name}`);
    }
  });
});

describe("the key", () => {
  it("is read from the variable of the documentation's samples, too", async () => {
    const { shell, customer } = await shellUnder();
    const { DASTAK_API_KEY: testKey = "", ...env } = shell.env;
    expect(json(await ran({ ...shell, env: { ...env, DASTAK_KEY: testKey } }, ["balance"]))).toMatchObject({
      balance: 100_000,
    });
    const both = { ...shell.env, DASTAK_KEY: customer.apiKey };
    expect(json(await ran({ ...shell, env: both }, ["balance"]))).toMatchObject({ balance: 100_000 });
    expect((await ran({ ...shell, env }, ["balance"])).status).toBe(3);
  });
});
