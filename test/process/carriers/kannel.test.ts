import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PEERS } from "../../../bench/peers/index.mjs";
import { PASSWORD, start as startKannel, USER } from "../../../bench/peers/kannel.mjs";
import { freePort } from "../../../harness/program.ts";
import type { Outgoing } from "../../../src/carriers/carrier.ts";
import { Smsc } from "../../kannel/smsc.ts";
import { outgoing, startCarrier } from "./start-carrier.ts";

// The kind `kannel` beside a real Kannel with a carrier over SMPP behind it: what reaches that carrier, and what comes
// back. Kannel (GPL) is a program of its own; where it is not installed, this is skipped.

const missing = PEERS.kannel.missing();

/** An optional parameter (SMPP 3.4, §5.3) with a text in it. */
function tlv(tag: number, value: string): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(tag, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, Buffer.from(value, "latin1")]).toString("latin1");
}

const parameter = (name: string, tag: string) => ({
  group: "smpp-tlv",
  name,
  tag,
  type: "octetstring",
  length: 30,
  "smsc-id": "smsc",
});

describe.skipIf(missing !== null)("a Kannel (Debian's kannel)", () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-kannel-kind-"));
  const smsc = new Smsc();
  const stops: (() => unknown)[] = [];
  let url = "";
  let carrier: Awaited<ReturnType<typeof startCarrier>>;

  beforeAll(async () => {
    stops.push(() => rmSync(directory, { recursive: true, force: true }));
    const smscPort = await smsc.listen();
    stops.push(() => smsc.close());
    const port = await freePort();
    const kannel = await startKannel({
      port,
      stateDir: directory,
      smsc: {
        smsc: "smpp",
        "smsc-id": "smsc",
        host: "127.0.0.1",
        port: smscPort,
        "smsc-username": "test",
        "smsc-password": "test",
        "system-type": "",
        "transceiver-mode": true,
      },
      more: [parameter("pe_id", "0x1400"), parameter("template_id", "0x1401")],
    });
    stops.push(() => kannel.stop());
    url = `http://127.0.0.1:${port}/cgi-bin/sendsms`;
    carrier = await startCarrier();
    stops.push(() => carrier.stop());
  });

  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const submit = (change: Partial<Outgoing>, password = PASSWORD) =>
    carrier.submit({
      kind: "kannel",
      settings: { url, username: USER, sender: "DASTAK" },
      secrets: { password },
      message: outgoing(change),
    });

  it("takes messages, passes them on as they were meant, and reports them", async () => {
    const dlt = { entityId: "110100001234", templateId: "1107000012345", category: "otp" };
    const sent = [
      { ref: "msg_gsm", text: "Hello {world} €5 + 1 & 2", dlt },
      { ref: "msg_flash", text: "नमस्ते", content: { flash: true, sender: "ACMEIN" } },
      { ref: "msg_long", text: "न".repeat(150) },
    ];
    for (const change of sent) {
      const { outcome, seen } = await submit(change);
      expect(outcome).toEqual({ kind: "submitted" });
      expect(seen).toMatchObject({ answer: { status: 202, body: "0: Accepted for delivery" } });
    }
    const receipts = await carrier.receiptsOf(6);
    for (const { ref } of sent) {
      expect(receipts, ref).toContainEqual({ ref, state: "submitted" });
      expect(receipts, ref).toContainEqual({ ref, state: "delivered" });
    }
    expect(receipts.filter((one) => typeof one === "string")).toEqual([]);

    // One message, one in three parts, and the flash between them.
    const bodies = smsc.bodies.map((body) => body.toString("latin1"));
    expect(bodies).toHaveLength(5);
    const [gsm = "", flash = ""] = bodies;
    expect(gsm).toContain("DASTAK");
    expect(gsm).toContain("919876543210");
    expect(gsm).toContain("Hello \u001B(world\u001B) \u001Be5 + 1 & 2");
    expect(gsm).toContain(tlv(0x1400, dlt.entityId));
    expect(gsm).toContain(tlv(0x1401, dlt.templateId));
    expect(flash).toContain("ACMEIN");
    expect(flash).toContain(Buffer.from("नमस्ते", "utf16le").swap16().toString("latin1"));
    // data_coding of a flash message in UCS-2, before sm_default_msg_id and sm_length (§4.4.1).
    expect(flash).toContain("\u0018\u0000\u000C");
  });

  it("with another password takes nothing", async () => {
    const before = smsc.bodies.length;
    const { outcome, seen } = await submit({ ref: "msg_wrong" }, "another");
    expect(outcome).toEqual({ kind: "not_accepted", code: "http_403" });
    expect(seen).toMatchObject({ answer: { status: 403 } });
    expect(smsc.bodies).toHaveLength(before);
  });

  it("refuses a message without a number for good", async () => {
    expect((await submit({ ref: "msg_none", to: "" })).outcome).toEqual({ kind: "rejected", code: "http_400" });
  });
});
