import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { raiseAlert } from "../../../src/alerts/alerts.ts";
import { storeObserved } from "../../../src/db/observed.ts";
import { ALERT_KINDS, isAlertKind } from "../../../src/model/alert.ts";
import { ALERT_SECRET, forgetAlerts, receiveAlerts } from "../../world/alerts.ts";
import { serviceWith } from "../../world/deployment.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { atTheDesk } from "../../world/operators.ts";
import { Visitor } from "../../world/visitor.ts";

// The desk's page of health, on a bad day.

const CHANNEL = { ALERT_URL: "http://pager.test/alerts", ALERT_SECRET } as Partial<Cloudflare.Env>;

/** A bad day: every kind of alert, a carrier that delivers little, and an account whose bulk waits. */
async function badDay(): Promise<void> {
  for (const kind of Object.keys(ALERT_KINDS).filter(isAlertKind)) {
    await raiseAlert(env, { kind, subject: "<b>queue</b>", values: { said: "<script>", percent: 71 } });
  }
  const tallies = [
    {
      carrier: "http",
      delivered: 31,
      undelivered: 9,
      failed: 60,
      unconfirmed: 0,
      sumMs: 0,
      within: [1, 2, 20, 29, 29],
    },
  ];
  const waits = [
    {
      accountId: "acc_1",
      lane: "bulk" as const,
      carrier: "http",
      oldestAt: Date.now() - 9_000_000,
      seenAt: Date.now(),
    },
  ];
  await storeObserved(env.DB, { tallies, accounts: ["acc_1"], waits }, Date.now());
}

beforeEach(forgetAlerts);
afterEach(() => vi.restoreAllMocks());

describe("the page of health", () => {
  it("says on a quiet day that there is nothing, and the desk's first page shows no notice", async () => {
    const desk = await atTheDesk();
    const page = await desk.get("/desk/health");
    expect(page.status).toBe(200);
    expect(page.text).toContain("No open alerts");
    expect(page.text).not.toContain('class="pill bad"');
    expect((await desk.get("/desk")).text).not.toContain("Alerts are open");
  });

  it("shows each alert with what it means, and what was measured, in both languages", async () => {
    await badDay();
    const desk = await atTheDesk();
    const { text } = await desk.get("/desk/health");
    for (const { meaning } of Object.values(ALERT_KINDS)) expect(text).toContain(meaning.replaceAll("'", "&#39;"));
    expect(text).toContain("&lt;b&gt;queue&lt;/b&gt;");
    expect(text).toContain("said=&lt;script&gt; percent=71");
    expect(text).toContain("31%");
    expect(text).toContain("over 30 min");
    expect(text).toContain("2 h");
    expect(text).toContain('class="pill bad"');
    expect(text).not.toContain("acc_1");
    expect((await desk.get("/desk")).text).toContain(`Alerts are open: ${Object.keys(ALERT_KINDS).length}.`);
    hindi(await inHindi({ visitor: desk }).visitor.get("/desk/health"), 200);
    hindi(await desk.get("/desk"), 200);
  });

  it("tries the channel and shows the answer, in both languages", async () => {
    const { received } = receiveAlerts((nth) => new Response("<i>no</i>", { status: nth === 0 ? 200 : 500 }));
    const token = await atTheDesk();
    const desk = new Visitor(serviceWith(CHANNEL));
    for (const [name, value] of token.cookies) desk.cookies.set(name, value);
    expect((await desk.get("/desk/health")).text).toContain("Send a test");
    const taken = await desk.submit("/desk/health/test", {});
    expect([taken.status, taken.text.includes("The test was taken: status 200")]).toEqual([200, true]);
    expect(taken.text).toContain("&lt;i&gt;no&lt;/i&gt;");
    const refused = await inHindi({ visitor: desk }).visitor.submit("/desk/health/test", {});
    hindi(refused, 200);
    expect(refused.text).toContain("जाँच नहीं ली गई: स्थिति 500");
    expect(received).toHaveLength(2);
  });

  it("offers no test without a channel", async () => {
    const desk = await atTheDesk();
    const page = await desk.get("/desk/health");
    expect(page.text).toContain("ALERT_URL and ALERT_SECRET are not set");
    expect(page.text).not.toContain("Send a test");
    expect((await desk.submit("/desk/health/test", {})).text).toContain("ALERT_URL and ALERT_SECRET are not set");
  });
});
