import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../harness/program.ts";
import { BIND, eventually, startSmppService } from "./smpp-service.ts";

// Binds inside workerd to a centre of Perl's Net::SMPP, from Debian's libnet-smpp-perl. Where that is not installed, its
// directory is NET_SMPP_LIB: `apt-get download libnet-smpp-perl; dpkg -x *.deb DIR`, then DIR/usr/share/perl5.

const LIB = process.env["NET_SMPP_LIB"] === undefined ? [] : ["-I", process.env["NET_SMPP_LIB"]];
const isThere = spawnSync("perl", [...LIB, "-MNet::SMPP", "-e1"]).status === 0;

/** A centre of its own process; the lines that it wrote. */
async function startCentre(throttle: number) {
  const port = await freePort();
  const script = path.join(import.meta.dirname, "smsc.pl");
  // In a group of its own, since each connection has a process.
  const child = spawn("perl", [...LIB, script, String(port), "secret", String(throttle)], { detached: true });
  const signal = (name: NodeJS.Signals) => void process.kill(-(child.pid ?? Number.NaN), name);
  onTestFinished(() => {
    signal("SIGCONT");
    child.kill("SIGTERM");
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  // What follows the last line break is a line that is still being written.
  const lines = () => text.split("\n").slice(0, -1);
  await eventually(() => lines().includes("listening"));
  return { port, signal, lines, of: (word: string) => lines().filter((line) => line.startsWith(word)) };
}

const message = (ref: string, more: object = {}) => ({
  ref,
  to: "+919876543210",
  text: "Hello",
  sender: "TESTID",
  ...more,
});

it.skipIf(!isThere)("Net::SMPP decodes what was written, and its receipts reach the account", async () => {
  const centre = await startCentre(0);
  const service = await startSmppService();
  await service.bind(BIND, { port: centre.port });
  expect(centre.of("bind")).toEqual(["bind acme 34"]);
  const refs = [await service.order(), await service.order()];
  const dlt = { entityId: "1101234567890123456", templateId: "1107161234567890123", category: "otp" };
  await service.submit(BIND, message(refs[0] ?? "", { text: "Hello {world} €5", dlt }));
  await service.submit(BIND, message(refs[1] ?? "", { to: "+919876543219", text: "क".repeat(160) }));
  await service.submit(BIND, message("flash", { text: "Hi", flash: true, sender: "+14155550111" }));
  await service.submit(BIND, message("flash", { text: "नमस्ते", flash: true }));
  // The centre writes a unit down after it has answered it.
  await eventually(() => centre.of("submit").length >= 6);
  const sent = centre.of("submit");
  expect(sent).toHaveLength(6);
  expect(sent[0]).toBe(
    `submit TESTID/5 919876543210 esm=00 dc=00 reg=1 sm=48656c6c6f201b28776f726c641b29201b6535 tlv=[1400=${dlt.entityId},1401=${dlt.templateId}]`,
  );
  expect(sent.slice(1, 4).map((line) => /esm=40 dc=08 reg=1 sm=050003..(.{4})/u.exec(line)?.[1])).toEqual([
    "0301",
    "0302",
    "0303",
  ]);
  expect(sent[4]).toBe("submit 14155550111/1 919876543210 esm=00 dc=10 reg=1 sm=4869 tlv=[]");
  expect(sent[5]).toContain("dc=18");
  await eventually(async () => {
    const states = await service.states();
    return states.get(refs[0] ?? "") === "delivered" && states.get(refs[1] ?? "") === "undelivered";
  });
  await eventually(() => centre.of("answered").length === 6);
  expect(new Set(centre.of("answered"))).toEqual(new Set(["answered 0"]));
});

it.skipIf(!isThere)(
  "a centre of Net::SMPP that throttles every fifth is told from one that refuses, and takes each message once",
  async () => {
    const centre = await startCentre(5);
    const service = await startSmppService();
    await service.bind(BIND, { port: centre.port, window: 5 });
    let waiting = Array.from({ length: 100 }, (_, nth) => `r${nth}`);
    while (waiting.length > 0) {
      const outcomes = await Promise.all(waiting.map((ref) => service.submit(BIND, message(ref))));
      for (const outcome of outcomes) {
        if (outcome.kind !== "submitted") expect(outcome).toEqual({ kind: "not_accepted", code: "smpp_0x58" });
      }
      waiting = waiting.filter((_, nth) => outcomes[nth]?.kind !== "submitted");
    }
    await eventually(() => centre.of("submit").length >= 100);
    expect(centre.of("submit")).toHaveLength(100);
    expect(centre.of("throttled").length).toBeGreaterThan(20);
  },
);

it.skipIf(!isThere)(
  "a centre of Net::SMPP that is frozen leaves its message unknown, and has it once when it goes on",
  async () => {
    const centre = await startCentre(0);
    const service = await startSmppService();
    await service.bind(BIND, { port: centre.port, response_s: 2, enquire_s: 1 });
    const [before, after] = [await service.order(), await service.order()];
    expect(await service.submit(BIND, message(before))).toEqual({ kind: "submitted" });
    await eventually(() => centre.of("submit").length === 1);
    centre.signal("SIGSTOP");
    expect((await service.submit(BIND, message("frozen", { text: "Frozen" }))).kind).toBe("unknown");
    // The connection's own check finds out too, and gives it up; a new one is not answered.
    await eventually(async () => (await service.standing(BIND))?.state === "down");
    expect(await service.submit(BIND, message("down"))).toEqual({ kind: "not_accepted", code: "no_bind" });
    centre.signal("SIGCONT");
    await eventually(async () => (await service.standing(BIND))?.state === "bound");
    expect(await service.submit(BIND, message(after, { to: "+919876543219" }))).toEqual({ kind: "submitted" });
    await eventually(async () => (await service.states()).get(after) === "undelivered");
    const frozen = `sm=${Buffer.from("Frozen").toString("hex")}`;
    expect(centre.of("submit").filter((line) => line.includes(frozen)).length).toBeLessThanOrEqual(1);
    expect(centre.of("submit").filter((line) => !line.includes(frozen))).toHaveLength(2);
  },
);
