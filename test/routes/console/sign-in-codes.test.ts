import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { forgetOldChallenges } from "../../../src/sign-in/challenges.ts";
import worker from "../../../src/worker.ts";
import { incoming } from "../../world/deployment.ts";
import { codeFor, codesFor, freshNumber, otherCode, sessionsWith, signInByPhone, twin } from "../../world/people.ts";
import { CONSOLE, Visitor } from "../../world/visitor.ts";

/** A D1 that holds every delete of a challenge until `size` of them are waiting: the worst interleaving. */
function meetingAtDelete(db: D1Database, size: number): D1Database {
  let come = 0;
  const all = Promise.withResolvers<void>();
  const held = (statement: D1PreparedStatement): Pick<D1PreparedStatement, "bind" | "run"> => ({
    bind: (...values) => held(statement.bind(...values)) as D1PreparedStatement,
    run: async <T>() => {
      come += 1;
      if (come === size) all.resolve();
      await all.promise;
      return statement.run<T>();
    },
  });
  const prepare = (query: string) =>
    query.startsWith('delete from "challenge"') ? held(db.prepare(query)) : db.prepare(query);
  return { prepare } as unknown as D1Database;
}

describe("a sign-in code", () => {
  it("signs in once when two correct answers arrive at the same time", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const code = await codeFor(`+91${number}`);
    const at = { ...env, DB: meetingAtDelete(env.DB, 2) };
    const answerOnce = async () => {
      const headers = { origin: CONSOLE, accept: "text/html", cookie: `challenge=${visitor.cookies.get("challenge")}` };
      const request = incoming(`${CONSOLE}/sign-in/code`, {
        method: "POST",
        body: new URLSearchParams({ code }),
        headers,
      });
      const reply = await worker.fetch(request, at, createExecutionContext());
      return reply.headers.getSetCookie().filter((one) => one.startsWith("session=")).length;
    };
    const sessions = await Promise.all([answerOnce(), answerOnce()]);
    expect(sessions.toSorted((one, other) => one - other)).toEqual([0, 1]);
    expect(await sessionsWith(`+91${number}`)).toBe(1);
  });

  it("allows five tries, however many arrive at the same time", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const code = await codeFor(`+91${number}`);
    const guesses = Array.from({ length: 12 }, (_, at) => otherCode(code, at + 1));
    const pages = await Promise.all(guesses.map((guess) => twin(visitor).submit("/sign-in/code", { code: guess })));
    expect(pages.every((page) => page.status === 401)).toBe(true);
    const left = pages.flatMap((page) => /(\d) attempts? left/u.exec(page.text)?.[1] ?? []);
    expect(left.toSorted()).toEqual(["1", "2", "3", "4"]);
    const late = await visitor.submit("/sign-in/code", { code });
    expect(late.status).toBe(401);
    expect(late.text).toContain("This code has expired.");
    expect(await sessionsWith(`+91${number}`)).toBe(0);
  });

  it("is accepted on its fifth try, and not on a sixth", async () => {
    for (const [wrong, status] of [
      [4, 303],
      [5, 401],
    ] as const) {
      const number = freshNumber();
      const visitor = new Visitor();
      await visitor.submit("/sign-in", { phone: number });
      const code = await codeFor(`+91${number}`);
      for (let n = 1; n <= wrong; n++) await visitor.submit("/sign-in/code", { code: otherCode(code, n) });
      expect((await visitor.submit("/sign-in/code", { code })).status).toBe(status);
    }
  });

  it("may have spaces and Devanagari digits; input without six digits does not count as a try", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const code = await codeFor(`+91${number}`);
    for (const typed of ["", "12345", "1234567", "abcdef", "12 34 5", "१२३"]) {
      const page = await visitor.submit("/sign-in/code", { code: typed });
      expect(page.status).toBe(400);
    }
    const devanagari = [...code].map((digit) => String.fromCodePoint(0x0966 + Number(digit))).join("");
    const page = await visitor.submit("/sign-in/code", { code: ` ${devanagari.slice(0, 3)} ${devanagari.slice(3)}` });
    expect(page.status).toBe(303);
  });

  it("is bound to the browser that asked: no other browser can use it or its tries", async () => {
    const number = freshNumber();
    const [owner, stranger] = [new Visitor(), new Visitor()];
    await owner.submit("/sign-in", { phone: number });
    const code = await codeFor(`+91${number}`);
    await stranger.submit("/sign-in", { phone: number });
    for (let n = 1; n <= 6; n++) await stranger.submit("/sign-in/code", { code: otherCode(code, n) });
    expect((await stranger.submit("/sign-in/code", { code })).status).toBe(401);
    const blank = new Visitor();
    expect((await blank.submit("/sign-in/code", { code })).headers.get("location")).toBe("/sign-in");
    expect((await owner.submit("/sign-in/code", { code })).headers.get("location")).toBe("/");
  });

  it("expires after five minutes, and a new one is sent without typing the number again", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const { hash, left } = await env.DB.prepare("SELECT hash, expires_at - ? AS left FROM challenge WHERE phone = ?")
      .bind(Date.now(), `+91${number}`)
      .first<{ hash: string; left: number }>()
      .then((row) => row ?? { hash: "", left: 0 });
    expect(left).toBeGreaterThan(295_000);
    expect(left).toBeLessThanOrEqual(300_000);
    await env.DB.prepare("UPDATE challenge SET expires_at = ? WHERE hash = ?").bind(Date.now(), hash).run();
    const old = await codeFor(`+91${number}`);
    expect((await visitor.submit("/sign-in/code", { code: old })).text).toContain("This code has expired.");
    expect((await visitor.submit("/sign-in/resend")).status).toBe(303);
    const [fresh = ""] = await codesFor(`+91${number}`);
    if (fresh !== old) expect((await visitor.submit("/sign-in/code", { code: old })).status).toBe(401);
    expect((await visitor.submit("/sign-in/code", { code: fresh })).status).toBe(303);
  });

  it("does not confirm, and a code for confirming does not sign in", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    await visitor.submit("/sign-in", { phone: number });
    const signIn = await visitor.submit("/confirm/code", { code: await codeFor(`+91${number}`), next: "/keys" });
    expect(signIn.status).toBe(401);
    await visitor.submit("/confirm/send", { next: "/keys" });
    const page = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(page.headers.get("location")).toBe("/sign-in");
  });

  it("is deleted with its challenge half an hour after it expired", async () => {
    const number = freshNumber();
    await new Visitor().submit("/sign-in", { phone: number });
    const count = async () =>
      env.DB.prepare("SELECT count(*) AS n FROM challenge WHERE phone = ?").bind(`+91${number}`).first("n");
    await forgetOldChallenges(env, Date.now() + 300_000);
    expect(await count()).toBe(1);
    await forgetOldChallenges(env, Date.now() + 300_000 + 1_800_000 + 1_000);
    expect(await count()).toBe(0);
  });
});
