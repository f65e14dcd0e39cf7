import { env, exports } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import type { LiveEvent } from "../../../src/inbox/event.ts";
import { accountOfName } from "../../../src/crypto/ids.ts";
import worker from "../../../src/worker.ts";
import { DEPLOYED_SIM, ask, land, landAll, localInbox, newPhone } from "../../world/inbox.ts";
import { bearer, call, openWorld, post, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";

// The page of the test inbox. It shows messages of every test in this run, so each test finds its own by a mark.

const newMark = () => `mark${newPhone()}`;

async function idOf(world: World): Promise<string> {
  return (await ask(world)).body.data[0].id as string;
}

describe("the page", () => {
  it("opens locally without a sign-in, and links to the sign-in", async () => {
    const world = await openWorld();
    const mark = newMark();
    await land(world, { message: `${mark} Your code is 482913` });
    const page = await new Visitor().get(`/inbox?q=${mark}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`${mark} Your code is 482913`);
    expect(page.text).toContain('data-copy="482913"');
    expect(page.text).toContain('href="/sign-in?next=/inbox"');
    expect(page.text).not.toContain('class="side"');
  });

  it("shows a message at its own address, and a link to the API request for its owner", async () => {
    const { visitor, world } = await visit();
    await land(world, { message: "Mine" });
    const mine = await idOf(world);
    expect((await visitor.get(`/inbox/${mine}`)).text).toContain(`href="/activity/${mine}" data-drawer`);
    visitor.cookies.set("mode", "test");
    const other = await visitor.get(`/inbox/${mine}`);
    expect(other.text).toMatch(/name="mode" value="live"/u);
    expect(other.text).not.toContain(`href="/activity/${mine}"`);
    expect((await new Visitor().get(`/inbox/${mine}`)).text).not.toContain("/activity/");
    const stranger = await visit();
    expect((await stranger.visitor.get(`/inbox/${mine}`)).text).not.toContain(`/activity/${mine}`);
  });

  it("shows each kind: sender, flash, voice and recording, and the segments of an SMS", async () => {
    const { visitor, world } = await visit();
    const pages = async () => (await visitor.get(`/inbox/${await idOf(world)}`, { "x-part": "1" })).text;
    await land(world, { message: "“Hi” 😀", senderId: "MYSHOP" });
    const sms = await pages();
    expect(sms).not.toContain("<html");
    expect(sms).toContain("MYSHOP");
    expect(sms).toContain("UCS-2");
    expect(sms).toContain("“ ” 😀");
    const abroad = { phone: "+14155550132", message: "Hi", isFlash: true };
    await post("http://sms.localhost/send-international-sms", abroad, bearer(world.apiKey));
    await landAll(world);
    expect(await pages()).toContain("Flash SMS");
    const spoken = { callee: newPhone(), text: "नमस्ते", language: "HI", ssmlGender: 1, speakingRate: 0.8 };
    await post("http://tts.localhost/api/tts-call", spoken, { "x-api-key": world.apiKey });
    await landAll(world);
    expect(await pages()).toMatch(/नमस्ते[^]*No voice is installed here[^]*Hindi, male[^]*0\.8×/u);
    const played = { callee: "919876543210", fileId: await recordingOf(world) };
    await post("http://voice.localhost/api/make-voice-call", played, { "x-api-key": world.apiKey });
    await landAll(world);
    expect(await pages()).toMatch(/<audio controls="" preload="metadata" src="\/media\/[\w-]+"/u);
  });

  it("searches, reports what it does not understand, and pages", async () => {
    const world = await openWorld();
    const mark = newMark();
    for (let at = 0; at < 52; at++) await land(world, { message: `${mark} no. ${at}.` });
    const visitor = new Visitor();
    const first = await visitor.get(`/inbox?q=${mark}`);
    expect(first.text).toContain(`${mark} no. 51.`);
    expect(first.text).not.toContain(`${mark} no. 1.`);
    expect(first.text).toContain("data-after");
    const [, next = ""] = /href="([^"]+)" rel="next"/u.exec(first.text) ?? [];
    const second = await visitor.get(next.replaceAll("&amp;", "&"));
    expect(second.text).toContain(`${mark} no. 1.`);
    expect(second.text).not.toContain(`${mark} no. 51.`);
    // New messages are added to the newest page only.
    expect(second.text).not.toContain("data-after");
    const odd = await visitor.get("/inbox?q=state:sent");
    expect(odd.text).toContain("“state:” is not a filter");
    expect((await visitor.get(`/inbox?q=${newMark()}`)).text).toContain("No matching messages");
  });

  it("shows hostile texts as plain text", async () => {
    const world = await openWorld();
    const text = `<img src=x onerror=alert(1)>"'</template><script>\u202e`;
    await land(world, { message: text, senderId: "A.b_c-1" });
    for (const path of [`/inbox/${await idOf(world)}`, "/inbox"]) {
      const page = await new Visitor().get(path);
      expect(page.text).toContain("&lt;img src=x onerror=alert(1)&gt;");
      expect(page.text).not.toContain("<img src=x");
      expect(page.text).not.toMatch(/<script(?![^>]* src=)/u);
    }
  });

  it("deletes one message, and all that a search matches", async () => {
    const world = await openWorld();
    const mark = newMark();
    for (const message of ["one", "two"]) await land(world, { message: `${mark} ${message}` });
    await land(world, { message: "stays" });
    const visitor = new Visitor();
    const [, two] = (await ask(world)).body.data as { id: string }[];
    const gone = await visitor.submit(`/inbox/${two?.id}/delete`, { q: mark });
    expect([gone.status, gone.headers.get("location")]).toEqual([303, `/inbox?q=${mark}`]);
    expect((await visitor.get(`/inbox/${two?.id}`)).status).toBe(404);
    expect((await ask(world)).body.data).toHaveLength(2);
    expect((await visitor.submit("/inbox/clear", { q: mark })).status).toBe(303);
    expect((await ask(world)).body.data).toMatchObject([{ text: "stays" }]);
    const foreign = { origin: "https://evil.example" };
    expect((await visitor.submit("/inbox/clear", {}, foreign)).status).toBe(403);
    expect((await ask(world)).body.data).toHaveLength(1);
  });

  it("is available in Hindi", async () => {
    const visitor = new Visitor();
    visitor.cookies.set("lang", "hi");
    expect((await visitor.get("/inbox")).text).toContain("टेस्ट इनबॉक्स");
  });

  it("answers 404 for a message that does not exist", async () => {
    for (const path of ["/inbox/msg_1", "/inbox/call_1", "/inbox/x"]) {
      expect((await new Visitor().get(path)).status).toBe(404);
    }
  });
});

/** Opens a page of a deployed service. */
const open = (path: string, headers: Record<string, string> = {}) =>
  worker.fetch(
    new Request(`https://console.dastak.example${path}`, {
      headers: { accept: "text/html", ...headers },
      redirect: "manual",
    }) as unknown as Request<unknown, IncomingRequestCfProperties>,
    { ...env, ...DEPLOYED_SIM },
    createExecutionContext(),
  );

describe("a deployed page", () => {
  it("requires a sign-in, and shows the account's own test messages in either mode", async () => {
    expect((await open("/inbox")).status).toBe(303);
    expect((await open("/inbox/live", { upgrade: "websocket", origin: "https://console.dastak.example" })).status).toBe(
      303,
    );
    const { visitor, world } = await visit();
    const name = `${world.ref.accountId}.test`;
    expect(accountOfName(name).mode).toBe("test");
    const message = { requestId: "req_1", operation: "sms" as const, content: {}, text: null };
    await env.INBOX.getByName(name).put([
      { ...message, account: name, messages: [{ ref: "msg_mine", to: "+919876543210" }] },
    ]);
    await localInbox().put([{ ...message, account: name, messages: [{ ref: "msg_local", to: "+919876543210" }] }]);
    const cookie = `__Host-session=${visitor.cookies.get("session")}`;
    for (const mode of ["live", "test"]) {
      const page = await (await open("/inbox", { cookie: `${cookie}; mode=${mode}` })).text();
      expect(page).toContain("/inbox/msg_mine");
      expect(page).not.toContain("msg_local");
    }
    const other = await visit();
    const theirs = { cookie: `__Host-session=${other.visitor.cookies.get("session")}` };
    expect(await (await open("/inbox", theirs)).text()).not.toContain("msg_mine");
    expect((await open("/inbox/msg_mine", theirs)).status).toBe(404);
  });
});

const sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close(1000, "done");
});

const askLive = (query: string, headers: Record<string, string> = {}) =>
  exports.default.fetch(`${CONSOLE}/inbox/live?${query}`, {
    headers: { upgrade: "websocket", origin: CONSOLE, ...headers },
  });

/** Opens the live list; `next` resolves to its next event. */
async function listen(query: string): Promise<{ next: () => Promise<LiveEvent> }> {
  const { webSocket } = await askLive(query);
  if (!webSocket) throw new Error("no socket");
  const heard: LiveEvent[] = [];
  const waiting: ((event: LiveEvent) => void)[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    const event = JSON.parse(String(data)) as LiveEvent;
    const first = waiting.shift();
    if (first) first(event);
    else heard.push(event);
  });
  webSocket.accept();
  sockets.push(webSocket);
  return {
    next: () => {
      const event = heard.shift();
      return event ? Promise.resolve(event) : new Promise((resolve) => void waiting.push(resolve));
    },
  };
}

describe("the live list", () => {
  it("reports new and deleted messages, but only those that the search matches", async () => {
    const world = await openWorld();
    const mark = newMark();
    const { next } = await listen(`q=${mark}`);
    await land(world, { message: "something else" });
    await land(world, { message: `${mark} Your code is 4711` });
    const { messages: [landed] = [] } = await next();
    expect(landed).toEqual({
      seq: expect.any(Number),
      id: await idOf(world),
      to: expect.stringMatching(/^\+91\d{10}$/u),
      operation: "sms",
      text: `${mark} Your code is 4711`,
      code: "4711",
      at: expect.any(Number),
    });
    await ask(world, "", { method: "DELETE" });
    expect(await next()).toEqual({ gone: [landed?.id] });
  });

  it("starts with what the page missed since its last connection", async () => {
    const world = await openWorld();
    const mark = newMark();
    await land(world, { message: `${mark} seen` });
    const [seen] = (await localInbox().list({ account: world.name }, {}, 1)) ?? [];
    for (const message of ["missed one", "missed two"]) await land(world, { message: `${mark} ${message}` });
    const { next } = await listen(`q=${mark}&after=${seen?.seq}`);
    expect((await next()).messages?.map(({ text }) => text)).toEqual([`${mark} missed one`, `${mark} missed two`]);
  });

  it("is only for pages of this console, because any other site could read codes", async () => {
    for (const origin of ["https://evil.example", "null", "http://console.localhost.evil.example"]) {
      const { status, webSocket } = await askLive("", { origin });
      expect([status, webSocket]).toEqual([403, null]);
    }
    expect((await call(`${CONSOLE}/inbox/live`, { headers: { upgrade: "websocket" } })).status).toBe(403);
    expect((await call(`${CONSOLE}/inbox/live`, { headers: { origin: CONSOLE } })).status).toBe(426);
  });
});
