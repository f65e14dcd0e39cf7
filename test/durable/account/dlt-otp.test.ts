import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { LOGIN, REGISTRY, importDlt, putDlt } from "../../world/dlt.ts";
import { preflight, sendOf } from "../../world/quotes.ts";
import { balanceOf, openWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The length of one-time passwords by an account's own template (contract §17.1): their price is one, so their SMS are few.

const OTP = { phone: "9876543210", otp: "482913", brandName: "Shop" };
const otp = { template_id: LOGIN };

async function registered(more: object = {}): Promise<World> {
  const world = await openWorld();
  await putDlt(world, { ...REGISTRY, ...more });
  return world;
}

const jobsIn = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) => storage.sql.exec("SELECT count(*) AS jobs FROM job").one());

it("are refused where the brand makes the account's own text longer than three SMS, whatever is enforced", async () => {
  const [otpTemplate] = [{ ...REGISTRY.templates[2], text: `{#numeric#} for {#var#}. ${"x".repeat(300)}` }];
  const templates = [...REGISTRY.templates.slice(0, 2), otpTemplate];
  for (const enforce of ["on", "warn"]) {
    const world = await registered({ otp, templates, enforce });
    const before = [await balanceOf(world), await jobsIn(world)];
    const long = { ...OTP, brandName: "दुकान" };
    const reply = await sendOf(world, "otp", long);
    expect([reply.status, reply.body]).toMatchObject([400, { code: "invalid_request", param: "brandName" }]);
    expect(reply.body.error).toContain("5 SMS long; it may be 3.");
    const told = await preflight(world, "otp", long);
    expect(told.body).toMatchObject({ would: "refuse", problems: [{ param: "brandName" }] });
    expect([await balanceOf(world), await jobsIn(world)]).toEqual(before);
    expect((await sendOf(world, "otp", OTP)).status).toBe(200);
  }
});

it("cannot have a template that is too long for them, also where an import makes it so", async () => {
  const world = await registered();
  const text = `{#numeric#} is the code for {#alphanumeric#}. ${"x".repeat(500)}`;
  const templates = REGISTRY.templates.map((one) => (one.template_id === LOGIN ? { ...one, text } : one));
  const set = await putDlt(world, { ...REGISTRY, templates, otp });
  expect([set.status, set.body.param]).toEqual([400, "otp.values"]);
  expect(set.body.error).toContain("4 SMS");
  await putDlt(world, { ...REGISTRY, otp });
  const csv = `Template ID,Template Content,Header,Category\n${LOGIN},${text},ACMEIN,OTP\n`;
  const imported = await importDlt(world, csv);
  expect([imported.status, imported.body.param]).toEqual([400, "otp.values"]);
  expect((await sendOf(world, "otp", OTP)).status).toBe(200);
});
