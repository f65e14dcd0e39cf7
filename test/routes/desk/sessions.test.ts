import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serviceWith } from "../../world/deployment.ts";
import { atTheDesk } from "../../world/operators.ts";
import { twin } from "../../world/people.ts";
import { Visitor } from "../../world/visitor.ts";

// Sessions of the operator's desk.

afterEach(() => vi.useRealTimers());

const at = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });

const isOpen = async (desk: Visitor) => (await desk.get("/desk/payments")).status === 200;

const HANDLE = /name="session" value="([\w-]{16})"/gu;
const handlesIn = (text: string) => [...text.matchAll(HANDLE)].map(([, handle = ""]) => handle);

/** A browser with another browser's cookies at a service with another operator token. */
function withToken(desk: Visitor, OPERATOR_TOKEN: string): Visitor {
  const other = new Visitor(serviceWith({ OPERATOR_TOKEN }));
  for (const [name, value] of desk.cookies) other.cookies.set(name, value);
  return other;
}

describe("a session of the desk", () => {
  it("ends when the operator's token is changed, and does not come back for another session's sake", async () => {
    const desk = await atTheDesk();
    const changed = withToken(desk, "local-only-another-operator-token-of-the-tests");
    expect(await isOpen(changed)).toBe(false);
    const opened = await changed.submit("/desk/accounts", { name: "By a thief", plan: "starter", balance: "1000" });
    expect(opened.headers.get("location")).toMatch(/^\/desk\/sign-in/u);
    const fresh = new Visitor(serviceWith({ OPERATOR_TOKEN: "local-only-another-operator-token-of-the-tests" }));
    await fresh.submit("/desk/sign-in", { token: "local-only-another-operator-token-of-the-tests" });
    expect(handlesIn((await fresh.get("/desk/sessions")).text)).toHaveLength(1);
    expect(await isOpen(desk)).toBe(true);
  });

  it("lasts while it is used, an hour after its last use, and twelve hours in all", async () => {
    const startMs = Date.now();
    const minuteMs = 60_000;
    at(startMs);
    const [busy, idle] = [await atTheDesk(), await atTheDesk()];
    at(startMs + 59 * minuteMs);
    expect(await isOpen(idle)).toBe(true);
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      at(startMs + minutes * minuteMs);
      expect(await isOpen(busy), `${minutes} minutes`).toBe(true);
    }
    expect(await isOpen(idle)).toBe(false);
    at(startMs + 12 * 60 * minuteMs);
    expect(await isOpen(busy)).toBe(false);
  });

  it("is listed with the others, this one first, and each is ended alone", async () => {
    await (await atTheDesk()).submit("/desk/sessions/end-all");
    const [own, other] = [await atTheDesk(), await atTheDesk()];
    const page = await own.get("/desk/sessions");
    const handles = handlesIn(page.text);
    expect(handles).toHaveLength(2);
    expect(page.text.match(/>This browser</gu)).toHaveLength(1);
    expect(page.text.indexOf(">This browser<")).toBeLessThan(page.text.lastIndexOf('name="session"'));
    expect(page.text).not.toContain(own.cookies.get("operator") ?? "");
    const gone = await own.submit("/desk/sessions", { session: "x".repeat(16) });
    expect(gone.headers.get("location")).toBe("/desk/sessions?done=gone");
    const ended = await own.submit("/desk/sessions", { session: handles[1] ?? "" });
    expect(ended.headers.get("location")).toBe("/desk/sessions?done=ended");
    expect([await isOpen(own), await isOpen(other)]).toEqual([true, false]);
    await own.submit("/desk/sessions", { session: handles[0] ?? "" });
    expect(await isOpen(own)).toBe(false);
  });

  it("ends with all others, for copies of the cookie too", async () => {
    const [own, other] = [await atTheDesk(), await atTheDesk()];
    const copy = twin(own);
    const reply = await own.submit("/desk/sessions/end-all");
    expect(reply.headers.get("location")).toBe("/desk/sign-in");
    expect([await isOpen(own), await isOpen(copy), await isOpen(other)]).toEqual([false, false, false]);
  });

  it("is stored as a hash that neither shows the cookie nor the operator's token", async () => {
    const desk = await atTheDesk();
    const { results } = await env.DB.prepare("SELECT * FROM session WHERE holder LIKE 'operator%'").all();
    expect(results.length).toBeGreaterThan(0);
    const stored = JSON.stringify(results);
    expect(stored).not.toContain(desk.cookies.get("operator") ?? "");
    expect(stored).not.toContain(env.OPERATOR_TOKEN);
  });
});
