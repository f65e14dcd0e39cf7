import smpp from "smpp";
import { expect, it } from "vitest";
import { startCentre } from "./npm-centre.ts";
import { BIND, eventually, startSmppService } from "./smpp-service.ts";

// Binds inside workerd to a centre of npm's smpp, which shares no code with the service.

smpp.addTLV("dlt_entity", { id: 0x1400, type: smpp.types.tlv.string });
smpp.addTLV("dlt_template", { id: 0x1401, type: smpp.types.tlv.string });

const message = (ref: string, more: object = {}) => ({
  ref,
  to: "+919876543210",
  text: "Hello",
  sender: "TESTID",
  ...more,
});

it("npm's smpp reads each message as it was written, and its receipts find their messages", async () => {
  const centre = await startCentre();
  const service = await startSmppService();
  await service.bind(BIND, { port: centre.port });
  expect(centre.binds[0]).toMatchObject({ system_id: "acme", interface_version: 0x34 });
  const dlt = { entityId: "1101234567890123456", templateId: "1107161234567890123", category: "otp" };
  const ref = await service.order();
  expect(await service.submit(BIND, message(ref, { text: "Hello {world} €5", dlt }))).toEqual({ kind: "submitted" });
  expect(centre.got[0]).toMatchObject({
    source_addr: "TESTID",
    source_addr_ton: 5,
    destination_addr: "919876543210",
    registered_delivery: 1,
    data_coding: 0,
    short_message: { message: "Hello {world} €5" },
    dlt_entity: dlt.entityId,
    dlt_template: dlt.templateId,
  });
  await service.submit(BIND, message("r2", { text: "नमस्ते", flash: true }));
  expect(centre.got[1]).toMatchObject({ data_coding: 0x18, short_message: { message: "नमस्ते" } });
  await service.submit(BIND, message("r3", { text: "क".repeat(160) }));
  const parts = centre.got.slice(2);
  expect(parts.map(({ esm_class }) => esm_class)).toEqual([0x40, 0x40, 0x40]);
  expect(parts.map(({ short_message }) => short_message.message).join("")).toBe("क".repeat(160));
  expect(await centre.deliver("id:n1 sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hello")).toBe(0);
  await eventually(async () => (await service.states()).get(ref) === "delivered");
});

it("a wrong password is shown as refused, and a right one binds without a restart", async () => {
  const centre = await startCentre();
  const service = await startSmppService();
  await service.ask(BIND, "retire", 0);
  const wrong = service.bind(BIND, { port: centre.port }, "wrong");
  await eventually(async () => (await service.standing(BIND))?.state === "refused");
  expect(await service.submit(BIND, message("r1"))).toEqual({ kind: "not_accepted", code: "bind_refused" });
  await service.bind(BIND, { port: centre.port });
  await wrong;
  expect(await service.submit(BIND, message("r1"))).toEqual({ kind: "submitted" });
});

it("kills, evictions, freezes and a centre that goes away submit nothing twice and lose no receipt", async () => {
  const centre = await startCentre();
  const service = await startSmppService();
  const settings = { port: centre.port, response_s: 2, enquire_s: 1 };
  await service.bind(BIND, settings);
  const refs = [await service.order(), await service.order(), await service.order()];
  const outcomes = new Map<string, string>();
  const submit = async (ref: string) => void outcomes.set(ref, (await service.submit(BIND, message(ref))).kind);

  await submit(refs[0] ?? "");
  // A frozen centre: what was submitted is unknown, whether the object lives or is evicted meanwhile.
  centre.answer = () => null;
  const frozen = submit("frozen");
  await eventually(() => centre.got.length === 2);
  await service.evict(BIND);
  await frozen;
  expect(outcomes.get("frozen")).toBe("unknown");
  centre.answer = (_pdu, nth) => ({ id: `n${nth}` });

  // Without traffic, the alarm binds again, and a receipt of before is not lost.
  const binds = centre.binds.length;
  await eventually(() => centre.binds.length > binds);
  await eventually(async () => (await service.standing(BIND))?.state === "bound");
  expect(await centre.deliver("id:n1 stat:DELIVRD err:000")).toBe(0);
  await eventually(async () => (await service.states()).get(refs[0] ?? "") === "delivered");

  // The centre goes away and comes back; the service stops and starts.
  await submit(refs[1] ?? "");
  centre.stop();
  await eventually(async () => (await service.standing(BIND))?.state === "down");
  expect((await service.submit(BIND, message("away"))).kind).toBe("not_accepted");
  await centre.start();
  await eventually(async () => (await service.standing(BIND))?.state === "bound");
  await service.stop();
  const before = centre.binds.length;
  await service.start();
  await eventually(() => centre.binds.length > before);
  expect(await centre.deliver("id:n3 stat:UNDELIV err:011")).toBe(0);
  await eventually(async () => (await service.states()).get(refs[1] ?? "") === "undelivered");
  expect(centre.got).toHaveLength(3);
});

it("a service that is killed with a message in flight submits it no second time, and has the receipts of before", async () => {
  const centre = await startCentre();
  const service = await startSmppService();
  await service.bind(BIND, { port: centre.port, response_s: 5, enquire_s: 1 });
  const [before, inFlight] = [await service.order(), await service.order()];
  expect(await service.submit(BIND, message(before))).toEqual({ kind: "submitted" });
  centre.answer = () => null;
  // The caller's connection ends with the service: whether the message left is known to none.
  const submitted = service.submit(BIND, message(inFlight)).catch(() => "broken");
  await eventually(() => centre.got.length === 2);
  const binds = centre.binds.length;
  service.kill();
  expect(await submitted).toBe("broken");
  centre.answer = (_pdu, nth) => ({ id: `n${nth}` });

  // Without a request, the alarm binds again.
  await eventually(() => centre.binds.length > binds);
  expect(await centre.deliver("id:n1 stat:DELIVRD err:000")).toBe(0);
  await eventually(async () => (await service.states()).get(before) === "delivered");
  await eventually(async () => (await service.standing(BIND))?.state === "bound");
  expect(await service.submit(BIND, message(await service.order()))).toEqual({ kind: "submitted" });
  expect(centre.got).toHaveLength(3);
});
