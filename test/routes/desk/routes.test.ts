import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentCarriers } from "../../../src/carriers/table.ts";
import { choose } from "../../../src/routing/choose.ts";
import { noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { atTheDesk } from "../../world/operators.ts";
import { unescaped } from "../../world/story-page.ts";
import type { Visitor } from "../../world/visitor.ts";
import { operator } from "../../world/world.ts";

// The operator's page of routes: changed one by one, and asked which way a message would go.

let desk: Visitor;

beforeEach(async () => {
  desk = await atTheDesk();
});
afterEach(noCarriers);

const stored = async () => (await operator("GET", "/operator/routes")).body.routes;
const put = (routes: object[]) => operator("PUT", "/operator/routes", { routes });
const to = (code: string) => ({ to: [code], carriers: [{ name: "sim", weight: 1 }] });

/** What tells the routes that the page shows from others. */
async function mark(path = "/desk/route"): Promise<string> {
  return /name="mark" value="([^"]+)"/u.exec((await desk.get(path)).text)?.[1] ?? "";
}

const act = async (form: Record<string, string>) => desk.submit("/desk/routes", { mark: await mark(), ...form });

/** The destinations of the stored routes, in their order. */
const order = async () => ((await stored()) as { to: string[] }[]).map((one) => one.to[0]).join(" ");

/** Asks which way a message would go. */
const way = async (query: Record<string, string>) => {
  const page = await desk.get(`/desk/routes?${new URLSearchParams(query).toString()}`);
  const steps = /id="steps".*/su.exec(page.text)?.[0] ?? "";
  return { page, steps, names: [...steps.matchAll(/<td><code>([^<]+)<\/code>/gu)].map(([, name]) => name) };
};

describe("changing routes", () => {
  it("adds one with all that a route may have, and changes it", async () => {
    await setCarrier("acme");
    const form = {
      do: "save",
      n: "0",
      "operations.otp": "1",
      "operations.sms": "1",
      to: "IN +9198",
      carriers: "acme 3\r\nsim",
      fallback: "sim acme",
    };
    const { status, headers } = await act(form);
    expect([status, headers.get("location")]).toEqual([303, "/desk/routes?done=saved"]);
    const carriers = [
      { name: "acme", weight: 3 },
      { name: "sim", weight: 1 },
    ];
    const route = { operations: ["sms", "otp"], to: ["IN", "+9198"], carriers, fallback: ["sim", "acme"] };
    expect(await stored()).toEqual([route]);
    const page = unescaped((await desk.get("/desk/route?n=1")).text);
    for (const text of ['name="operations.otp" value="1" checked', "IN +9198", "acme 3\nsim 1", "sim acme"]) {
      expect(page).toContain(text);
    }
    expect((await act({ do: "save", n: "1", carriers: "sim 2" })).status).toBe(303);
    expect(await stored()).toEqual([{ carriers: [{ name: "sim", weight: 2 }] }]);
  });

  it("moves one up and down, and removes one after a question", async () => {
    await put(["IN", "US", "GB"].map(to));
    await act({ do: "down", n: "1" });
    expect(await order()).toBe("US IN GB");
    await act({ do: "up", n: "3" });
    expect(await order()).toBe("US GB IN");
    await act({ do: "up", n: "1" });
    expect(await order()).toBe("US GB IN");
    expect((await desk.get("/desk/route?n=2&do=remove")).text).toContain("Remove route 2?");
    await act({ do: "remove", n: "2" });
    expect(await order()).toBe("US IN");
    const acts = "select count(*) as n from audit where action = 'routes.changed'";
    expect((await env.DB.prepare(acts).first<{ n: number }>())?.n).toBeGreaterThanOrEqual(4);
  });

  it("changes nothing where others were stored since the page was shown", async () => {
    await put(["IN", "US"].map(to));
    const shown = await mark();
    await put(["GB", "US"].map(to));
    for (const form of [
      { do: "remove", n: "1" },
      { do: "down", n: "1" },
      { do: "save", n: "1", carriers: "sim" },
    ]) {
      const page = await desk.submit("/desk/routes", { mark: shown, ...form });
      expect([page.status, page.text.includes("changed meanwhile")]).toEqual([400, true]);
    }
    for (const n of ["3", "x", "-1", "1000"]) expect((await act({ do: "remove", n })).status).toBe(400);
    expect(await stored()).toEqual(["GB", "US"].map(to));
  });

  it.each([
    ["carriers", { carriers: "" }],
    ["carriers", { carriers: "sim many" }],
    ["carriers", { carriers: "sim 1001" }],
    ["carriers", { carriers: "none" }],
    ["to", { to: "Mars" }],
    ["fallback", { fallback: "Acme!" }],
    ["fallback", { fallback: "none" }],
  ])("says what is wrong with %s beside it, and stores nothing", async (field, wrong: Record<string, string>) => {
    const page = await act({ do: "save", n: "0", carriers: "sim", ...wrong });
    expect(page.status).toBe(400);
    expect(page.text).toContain(`id="f-${field}-error"`);
    expect(await stored()).toEqual([]);
  });
});

describe("which way it would go", () => {
  it("names the route, and the carriers in the order in which the message is offered to them, with reasons", async () => {
    const twilio = {
      kind: "twilio",
      settings: { account_sid: `AC${"0".repeat(32)}`, from: "ACME" },
      secrets: { auth_token: "t" },
    };
    await setCarrier("acme");
    await setCarrier("names", twilio);
    await setCarrier("none");
    const carriers = [
      { name: "acme", weight: 3 },
      { name: "names", weight: 5 },
      { name: "sim", weight: 1 },
      { name: "none", weight: 0 },
    ];
    await put([to("US"), { to: ["IN"], carriers, fallback: ["none", "sim"] }]);
    const { can, routes } = await currentCarriers(env, { waitUntil: () => undefined });
    for (const ref of ["msg_a", "msg_b", "msg_c", "msg_d"]) {
      const asked = { to: "+919876543210", operation: "tts", ref } as const;
      const { names, steps } = await way(asked);
      const chosen = choose({ routes, can, otherwise: "x", simulator: "y" }, { ...asked, mode: "live", attempt: 1 });
      expect(names.slice(0, chosen.length)).toEqual(chosen);
      for (const text of ["Route 2 fits.", "weight 3: first for 75% of the messages", "fallback 1"]) {
        expect(steps).toContain(text);
      }
      // It sends no calls from a name.
      expect(steps.slice(steps.indexOf("<code>names"))).toContain("passed over");
    }
  });

  it("begins with the carrier of most messages, where no message is named", async () => {
    for (const name of ["acme", "bravo"]) await setCarrier(name);
    for (const first of ["acme", "bravo"]) {
      const carriers = ["acme", "bravo"].map((name) => ({ name, weight: name === first ? 3 : 1 }));
      await put([{ to: ["IN"], carriers, fallback: ["sim"] }]);
      const { names } = await way({ to: "+919876543210", operation: "sms" });
      expect([names[0], names[2]]).toEqual([first, "sim"]);
    }
  });

  it("goes to the carrier of the settings where no route fits", async () => {
    await put([to("US")]);
    const { names, steps } = await way({ to: "919876543210", operation: "sms" });
    expect(names).toEqual([env.CARRIER]);
    expect(steps).toContain("No route fits");
  });

  it.each([{ to: "98" }, { to: "+919876543210", operation: "fax" }])("refuses %j", async (query) => {
    const { page, steps } = await way({ operation: "sms", ...query });
    expect([page.status, steps, page.text.includes("f-to-error")]).toEqual([400, "", true]);
  });
});
