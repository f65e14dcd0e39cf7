import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { insertSession } from "../../../src/db/people.ts";
import { SESSIONS_MAX, SESSION_MS_MAX, forgetSessions, hashOf, newToken } from "../../../src/sign-in/sessions.ts";
import worker from "../../../src/worker.ts";
import { incoming } from "../../world/deployment.ts";
import { listen } from "../../world/listener.ts";
import { codeFor, customerWithLogin, freshNumber, sessionsWith, signInByPhone, twin } from "../../world/people.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

/** The addresses to which the page's buttons post to end one session. */
const handlesOn = (text: string) => [...text.matchAll(/action="(\/settings\/sessions\/[\w-]+)"/gu)].map(([, at]) => at);

describe("a session", () => {
  it("that is in use every day ends after 90 days", async () => {
    const { visitor } = await signInByPhone(freshNumber());
    const startMs = Date.now();
    for (let day = 1; day < 90; day += 7) {
      vi.useFakeTimers({ toFake: ["Date"], now: startMs + day * DAY_MS });
      expect((await visitor.get("/settings")).status).toBe(200);
    }
    vi.useFakeTimers({ toFake: ["Date"], now: startMs + SESSION_MS_MAX - 60_000 });
    const last = await visitor.get("/settings");
    expect(last.status).toBe(200);
    expect(SESSION_MS_MAX).toBe(90 * DAY_MS);
    vi.useFakeTimers({ toFake: ["Date"], now: startMs + SESSION_MS_MAX + 1_000 });
    expect((await visitor.get("/settings")).status).toBe(303);
  });

  it("ends by the time of its sign-in, whatever its row says of its expiry", async () => {
    const { visitor } = await visit();
    const hash = hashOf(visitor.cookies.get("session") ?? "");
    const change = (createdAt: number) =>
      env.DB.prepare("UPDATE session SET created_at = ?, expires_at = ? WHERE hash = ?")
        .bind(createdAt, Date.now() + DAY_MS, hash)
        .run();
    await change(Date.now() - SESSION_MS_MAX + 60_000);
    expect((await visitor.get("/settings")).status).toBe(200);
    await change(Date.now() - SESSION_MS_MAX);
    expect((await visitor.get("/settings")).status).toBe(303);
  });

  it("is at most one of fifty; the least recently used one ends, with its live feed", async () => {
    const { visitor, person } = await visit();
    const phone = `+91${freshNumber()}`;
    await env.DB.prepare("UPDATE person SET phone = ? WHERE id = ?").bind(phone, person.id).run();
    const nowMs = Date.now();
    const row = { holder: person.id, device: "", authenticatedAt: nowMs, expiresAt: nowMs + DAY_MS };
    for (let n = 1; n < SESSIONS_MAX; n++) {
      await insertSession(env.DB, { ...row, hash: hashOf(newToken()), createdAt: nowMs + n, seenAt: nowMs + n });
    }
    expect((await visitor.get("/settings")).status).toBe(200);
    const feed = await listen(twin(visitor));
    const { visitor: next } = await signInByPhone(phone.slice(3));
    expect(await sessionsWith(phone)).toBe(SESSIONS_MAX);
    expect((await visitor.get("/settings")).status).toBe(303);
    expect(await feed.closed).toEqual({ code: 4000 });
    const { text } = await next.get("/settings");
    expect(handlesOn(text)).toHaveLength(SESSIONS_MAX - 1);
    expect(text).toContain("Older sessions (44)");
  });
});

describe("the list of sessions", () => {
  it("ends one session and its live feed, and no other", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    const other = new Visitor();
    await other.submit("/sign-in", { phone: number });
    await other.submit("/sign-in/code", { code: await codeFor(`+91${number}`) }, { "user-agent": AGENT });
    const { visitor: third } = await signInByPhone(number);
    const { text } = await visitor.get("/settings");
    expect(handlesOn(text)).toHaveLength(2);
    const at = /Firefox, Linux[\s\S]*?action="([^"]+)"/u.exec(text)?.[1] ?? "";
    const feed = await listen(twin(other));
    expect((await visitor.submit(at)).headers.get("location")).toBe("/settings?saved=session");
    expect((await other.get("/settings")).status).toBe(303);
    expect(await feed.closed).toEqual({ code: 4000 });
    expect((await third.get("/settings")).status).toBe(200);
    expect((await visitor.get("/settings")).status).toBe(200);
    expect((await visitor.submit(at)).status).toBe(404);
  });

  it("does not end another person's session: 404", async () => {
    const number = freshNumber();
    const [{ visitor: one }, { visitor: two }] = [await signInByPhone(number), await signInByPhone(number)];
    const [handle = ""] = handlesOn((await one.get("/settings")).text);
    const { visitor: stranger } = await visit();
    expect((await stranger.submit(handle)).status).toBe(404);
    expect((await new Visitor().submit(handle)).status).toBe(303);
    expect((await two.get("/settings")).status).toBe(200);
  });

  it("contains no token, nor the hash of one", async () => {
    const { visitor } = await signInByPhone(freshNumber());
    const { text } = await visitor.get("/settings");
    const token = visitor.cookies.get("session") ?? "";
    expect(text).not.toContain(token);
    expect(text).not.toContain(hashOf(token));
  });

  it("makes an ended browser unknown: its password needs a code again", async () => {
    const { visitor: lost, number, email } = await customerWithLogin();
    const { visitor } = await signInByPhone(number);
    const [handle = ""] = handlesOn((await visitor.get("/settings")).text);
    await visitor.submit(handle);
    const login = { email, password: "a few words to remember" };
    const page = await lost.submit("/sign-in/password", login);
    expect(page.headers.get("location")).toBe("/sign-in/password/code");
    await visitor.submit("/sign-out");
    expect((await visitor.submit("/sign-in/password", login)).headers.get("location")).toBe("/");
  });

  it("has no expired session, and housekeeping deletes it", async () => {
    const { visitor, person } = await visit();
    const nowMs = Date.now();
    const row = { holder: person.id, device: "Stale", createdAt: nowMs, authenticatedAt: nowMs, seenAt: nowMs };
    const hash = hashOf(newToken());
    await insertSession(env.DB, { ...row, hash, expiresAt: nowMs - 1 });
    const { text } = await visitor.get("/settings");
    expect(text).not.toContain("Stale");
    expect(handlesOn(text)).toEqual([]);
    await forgetSessions(env, Date.now());
    const { results } = await env.DB.prepare("SELECT hash FROM session WHERE hash = ?").bind(hash).all();
    expect(results).toEqual([]);
  });

  it("says from where the browser signed in, in the reader's language", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const body = new URLSearchParams({ code: await codeFor(`+91${number}`) });
    const cookie = `challenge=${visitor.cookies.get("challenge") ?? ""}`;
    const init = {
      method: "POST",
      body,
      headers: { origin: CONSOLE, accept: "text/html", cookie },
      cf: { country: "IN", city: "Pune <b>\u202E" },
    };
    const reply = await worker.fetch(incoming(`${CONSOLE}/sign-in/code`, init), env, createExecutionContext());
    const session = /session=([^;]+)/u.exec(reply.headers.getSetCookie().join())?.[1] ?? "";
    visitor.cookies.set("session", session);
    expect((await visitor.get("/settings")).text).toContain("<bdi>Pune &lt;b&gt;, India</bdi>");
    visitor.cookies.set("lang", "hi");
    expect((await visitor.get("/settings")).text).toContain("<bdi>Pune &lt;b&gt;, भारत</bdi>");
  });
});
