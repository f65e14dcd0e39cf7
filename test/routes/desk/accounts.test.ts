import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { objectName } from "../../../src/crypto/ids.ts";
import { balanceOf, ledgerOf, openWorld, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { personBy } from "../../../src/db/people.ts";
import { atTheDesk } from "../../world/operators.ts";
import { freshNumber, signInByPhone } from "../../world/people.ts";
import type { Page } from "../../world/visitor.ts";

const pageOf = (world: World) => `/desk/accounts/${world.ref.accountId}`;
const twinOf = (world: World) => env.ACCOUNT.getByName(objectName({ ...world.ref, mode: "test" }));

const COINS = 10_000;

const UNESCAPED = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

/** What a text field of the page contains. */
function keptIn({ text }: Page, name: string): string | undefined {
  const [field = ""] = new RegExp(`<input[^>]* name="${name}"[^>]*>`, "u").exec(text) ?? [];
  const [, value] = / value="([^"]*)"/u.exec(field) ?? [];
  return value?.replaceAll(/&(?:lt|gt|quot|#39|amp);/gu, (escaped) => UNESCAPED[escaped as keyof typeof UNESCAPED]);
}

/** Ids are random: their order says nothing. Three accounts open at each time. */
const openedAt = (at: number) => 1_000 + Math.floor(((at * 37) % 51) / 3);

describe("the list of accounts", () => {
  it("finds an account by part of its name, the beginning of its id, and its id", async () => {
    const desk = await atTheDesk();
    const mark = crypto.randomUUID();
    const world = await openWorld({ name: `Chai & ${mark} Stall` });
    await recordHistory(world, []);
    const { accountId } = world.ref;
    const found = async (q: string) => (await desk.get(`/desk?q=${encodeURIComponent(q)}`)).text.includes(accountId);
    for (const part of [`Chai & ${mark} Stall`, `chai & ${mark}`, mark.slice(3, 30).toUpperCase(), `${mark} st`]) {
      expect(await found(part), part).toBe(true);
    }
    expect(await found(`${mark} Shop`)).toBe(false);
    expect(await found(`${mark.slice(0, 8)}%${mark.slice(9)}`)).toBe(false);
    expect(await found(accountId.slice(0, 12))).toBe(true);
    expect(await found(accountId.slice(1, 12))).toBe(false);
    expect(await found("_%")).toBe(false);
    expect((await desk.get(`/desk?q=${accountId}`)).headers.get("location")).toBe(pageOf(world));
  });

  it("is newest first, and continues where its page ends, among accounts of one time too", async () => {
    const desk = await atTheDesk();
    const name = `Walk ${crypto.randomUUID()}`;
    const ids = Array.from({ length: 51 }, (_, at) => `acc_walk${String(at).padStart(3, "0")}`);
    await env.DB.batch(
      ids.map((id, at) =>
        env.DB.prepare("INSERT INTO account VALUES (?, 'live', 1, ?, 'active', 'starter', ?, 0)").bind(
          id,
          name,
          openedAt(at),
        ),
      ),
    );
    const seen: string[] = [];
    let href: string | undefined = `/desk?q=${encodeURIComponent(name.toUpperCase())}`;
    while (href !== undefined) {
      const { text } = await desk.get(href);
      const rows = [...text.matchAll(/href="\/desk\/accounts\/(acc_walk\d+)"/gu)].map(([, id = ""]) => id);
      expect(rows.length).toBeLessThanOrEqual(25);
      seen.push(...rows);
      href = /href="([^"]*before=[^"]*)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    const order = ids
      .map((id, at) => ({ id, at: openedAt(at) }))
      .toSorted((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
    expect(seen).toEqual(order.map(({ id }) => id));
  });

  it("shows what an account has now, when it opened and when it last sent", async () => {
    const desk = await atTheDesk();
    const name = `Row ${crypto.randomUUID()}`;
    const world = await openWorld({ name, balance: 12.5 });
    await recordHistory(world, []);
    const row = async () => {
      const { text } = await desk.get(`/desk?q=${encodeURIComponent(name)}`);
      return /<tbody>.*<\/tbody>/u.exec(text)?.[0] ?? "";
    };
    expect(await row()).toContain("₹12.50");
    expect(await row()).toContain("none yet");
    await sendSms(world);
    await recordHistory(world, [2]);
    expect(await row()).toContain("₹11.50");
    expect(await row()).not.toContain("none yet");
  });

  it("finds an account by the phone of its person, as people write it, and by the e-mail", async () => {
    const desk = await atTheDesk();
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    const email = `asha-${number}@example.com`;
    await visitor.submit("/settings/login", { email, password: "a long enough one" });
    const person = await personBy(env.DB, { phone: `+91${number}` });
    const ref = { accountId: person?.accountId ?? "", mode: "live" } as const;
    await recordHistory({ ref, name: objectName(ref) } as World, []);
    const found = async (q: string) =>
      (await desk.get(`/desk?q=${encodeURIComponent(q)}`)).text.includes(ref.accountId);
    const [one, two] = [number.slice(0, 5), number.slice(5)];
    for (const q of [
      number,
      `+91 ${one} ${two}`,
      `0${one}-${two}`,
      `(${one}) ${two}`,
      email.toUpperCase(),
      number.slice(2),
    ]) {
      expect(await found(q), q).toBe(true);
    }
    const others = [String(10_000_000_000 - Number(number)), `${number}0`, `${email}x`];
    for (const q of others) expect(await found(q), q).toBe(false);
    const page = await desk.get(`/desk/accounts/${ref.accountId}`);
    expect(page.text).toContain(`+91 ••••• •${number.slice(-4)}`);
  });
});

describe("opening an account", () => {
  it("opens it once per form, with both keys", async () => {
    const desk = await atTheDesk();
    const form = {
      name: `<img src=x> & "Co"`,
      plan: "business",
      balance: "12.5",
      otpRate: "0.1",
      once: crypto.randomUUID(),
    };
    const [one, two] = [await desk.submit("/desk/accounts", form), await desk.submit("/desk/accounts", form)];
    expect(one.text).toBe(two.text.replaceAll(/\bonce_\w+/gu, ""));
    expect(one.text).not.toContain("<img");
    const id = /acc_[0-9A-Za-z]{11}/u.exec(one.text)?.[0] ?? "";
    const view = await env.ACCOUNT.getByName(id).view();
    expect(view).toMatchObject({ name: form.name, plan: "business", balance: 12.5 * COINS, otpRate: 0.1 * COINS });
    const apiKey = /dsk_live_\w+/u.exec(one.text)?.[0] ?? "";
    expect((await sendSms({ apiKey } as World)).status).toBe(200);
    expect(one.text).toContain("dsk_test_");
    const page = await desk.get(`/desk/accounts/${id}`);
    expect(page.text).toContain("&lt;img src=x&gt; &amp; &quot;Co&quot;");
    expect(page.text).not.toContain("<img");
    const other = await desk.submit("/desk/accounts", { ...form, name: "Other" });
    expect([other.status, other.text.includes("with another name")]).toEqual([400, true]);
  });

  it("reports what is wrong with a form, and keeps the input", async () => {
    const desk = await atTheDesk();
    const form = { name: `Asha's "Shop" <b>`, plan: "business", balance: "7.5", otpRate: "0.3", once: "x" };
    for (const [change, sentence] of [
      [{ name: " " }, "Enter a name of 1"],
      [{ name: "x".repeat(101) }, "Enter a name of 1"],
      [{ balance: "-1" }, "Enter a balance"],
      [{ balance: "1e3" }, "Enter a balance"],
      [{ otpRate: "0.00001" }, "Enter a rate"],
    ] as const) {
      const typed = { ...form, ...change };
      const page = await desk.submit("/desk/accounts", typed);
      expect(page.status).toBe(400);
      expect(page.text).toContain(sentence);
      for (const name of ["name", "balance", "otpRate"] as const) expect(keptIn(page, name)).toBe(typed[name]);
      expect(page.text).toMatch(/<option value="business" selected/u);
    }
  });
});

describe("an account", () => {
  it("shows its balance, plan and keys, and its newest entries and messages", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    for (let times = 0; times < 20; times += 1) await sendSms(world);
    const page = await desk.get(pageOf(world));
    expect(page.status).toBe(200);
    const parts = ["₹980.00", "Premium", "Debit", "+91 ••••• •3210", "first key"];
    for (const part of parts) expect(page.text).toContain(part);
    expect(page.text).not.toContain("₹1,000.00");
    expect(page.text).not.toContain("dsk_");
    expect(page.text).not.toContain("Hello");
  });

  it("that was never opened is not found", async () => {
    const desk = await atTheDesk();
    for (const id of ["acc_00000000000", "x", "acc_x", "..%2f.."]) {
      const page = await desk.get(`/desk/accounts/${id}`);
      expect(page.status).toBe(404);
    }
    for (const what of ["standing", "credits"]) {
      const form = { status: "active", amount: "1", reference: "r" };
      expect((await desk.submit(`/desk/accounts/acc_00000000000/${what}`, form)).status).toBe(404);
    }
  });

  it("is suspended and activated, in both modes", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    await twinOf(world).open({
      name: "Test",
      plan: "premium",
      otpRate: null,
      balance: 0,
      keyId: 0x8000_0001,
      keyName: "k",
    });
    const standing = (status: string) => desk.submit(`${pageOf(world)}/standing`, { status });
    expect((await standing("suspended")).headers.get("location")).toBe(`${pageOf(world)}?done=changed`);
    expect((await sendSms(world)).body).toMatchObject({ code: "account_suspended" });
    expect(await twinOf(world).view()).toMatchObject({ status: "suspended" });
    await standing("active");
    expect((await sendSms(world)).status).toBe(200);
    expect((await standing("closed")).status).toBe(400);
  });

  it("is suspended after a question that says what happens, without a script", async () => {
    const desk = await atTheDesk();
    const world = await openWorld({ name: "Chai & Co" });
    const account = await desk.get(pageOf(world));
    expect(account.text).toContain(`href="${pageOf(world)}/suspend"`);
    expect(account.text).not.toContain('value="suspended"');
    const asked = await desk.get(`${pageOf(world)}/suspend`);
    expect([asked.status, asked.text.includes("Suspend Chai &amp; Co?")]).toEqual([200, true]);
    expect(asked.text).toContain("403 account_suspended");
    expect(asked.text).toMatch(/<form[^>]*action="[^"]*\/standing"><button[^>]* name="status" value="suspended"/u);
    expect(await world.stub.view()).toMatchObject({ status: "active" });
    await desk.submit(`${pageOf(world)}/standing`, { status: "suspended" });
    expect((await desk.get(`${pageOf(world)}/suspend`)).headers.get("location")).toBe(pageOf(world));
    expect((await desk.get("/desk/accounts/acc_00000000000/suspend")).status).toBe(404);
  });

  it("gets another plan and its own OTP rate; a form changes one of them only", async () => {
    const desk = await atTheDesk();
    const world = await openWorld({ plan: "starter" });
    const change = (form: Record<string, string>) => desk.submit(`${pageOf(world)}/standing`, form);
    await change({ otpRate: "0.12" });
    expect(await world.stub.view()).toMatchObject({ plan: "starter", otpRate: 1_200, ownOtpRate: 1_200 });
    await change({ plan: "business" });
    expect(await world.stub.view()).toMatchObject({ plan: "business", otpRate: 1_200, status: "active" });
    await change({ otpRate: "" });
    expect(await world.stub.view()).toMatchObject({ otpRate: 2_000, ownOtpRate: null });
    for (const form of [{ otpRate: "-1" }, { otpRate: "a" }, { plan: "gold" }, {}]) {
      expect((await change(form as Record<string, string>)).status).toBe(400);
    }
    expect(await world.stub.view()).toMatchObject({ plan: "business", otpRate: 2_000 });
  });
});

async function booked(world: World, form: Record<string, string>): Promise<Page> {
  const desk = await atTheDesk();
  return desk.submit(`${pageOf(world)}/credits`, { mode: "live", note: "", ...form });
}

describe("credit", () => {
  it("is given once per reference", async () => {
    const world = await openWorld({ balance: 10 });
    const form = { amount: "5.25", reference: "inv 1", note: "thanks" };
    const [one, two] = [await booked(world, form), await booked(world, form)];
    expect(one.headers.get("location")).toBe(`${pageOf(world)}?mode=live&done=booked`);
    expect(two.headers.get("location")).toBe(`${pageOf(world)}?mode=live&done=replayed`);
    expect(await balanceOf(world)).toBe(15.25 * COINS);
    expect((await ledgerOf(world)).at(-1)).toMatchObject({ type: "credit", reference: "operator:inv 1" });
    const other = await booked(world, { ...form, amount: "6" });
    expect([other.status, other.text.includes("used for a different amount")]).toEqual([400, true]);
    expect(await balanceOf(world)).toBe(15.25 * COINS);
  });

  it("is taken back down to 0 and no further", async () => {
    const world = await openWorld({ balance: 10 });
    const below = await booked(world, { amount: "-10.0001", reference: "a" });
    expect([below.status, below.text.includes("below 0. Nothing was applied")]).toEqual([400, true]);
    expect((await booked(world, { amount: "-10", reference: "a" })).status).toBe(303);
    expect(await balanceOf(world)).toBe(0);
    expect((await ledgerOf(world)).at(-1)).toMatchObject({ type: "adjustment", amount: -10 * COINS });
  });

  it("goes to the object of the chosen mode", async () => {
    const world = await openWorld({ mode: "test", balance: 1 });
    await booked(world, { mode: "test", amount: "2", reference: "a" });
    expect(await balanceOf(world)).toBe(3 * COINS);
  });

  it("is refused in one sentence when it is invalid, and the form keeps the input", async () => {
    const world = await openWorld({ balance: 10 });
    for (const [form, sentence] of [
      [{ amount: "0", reference: "a" }, "Enter an amount"],
      [{ amount: "", reference: "a" }, "Enter an amount"],
      [{ amount: "1,000", reference: "a" }, "Enter an amount"],
      [{ amount: "1.00001", reference: "a" }, "Enter an amount"],
      [{ amount: "9999999999", reference: "a" }, "Enter an amount"],
      [{ amount: "0x10", reference: "a" }, "Enter an amount"],
      [{ amount: "1", reference: "  " }, "Enter a reference"],
      [{ amount: "1", reference: "x".repeat(101) }, "Enter a reference"],
      [{ amount: "1", reference: "a", note: "x".repeat(501) }, "Use at most 500 characters"],
    ] as const) {
      const page = await booked(world, form);
      expect(page.status).toBe(400);
      expect(page.text).toContain(sentence);
    }
    expect((await booked(world, { amount: "x", reference: "keep me" })).text).toContain('value="keep me"');
    expect(await ledgerOf(world)).toHaveLength(1);
  });
});
