import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { carrierSetting } from "../../../src/carriers/stored.ts";
import { ACME, ACME_SECRET, noCarriers, setCarrier } from "../../world/carrier-set.ts";
import { atTheDesk } from "../../world/operators.ts";
import { unescaped } from "../../world/story-page.ts";
import type { Visitor } from "../../world/visitor.ts";
import { operator } from "../../world/world.ts";

// All carriers and routes as one file: out, and in after a look at what it would change.

const OTHER_SECRET = `whsec_${Buffer.from("another key of a gateway, 32 b!!").toString("base64")}`;

let desk: Visitor;

beforeEach(async () => {
  desk = await atTheDesk();
});
afterEach(noCarriers);

const exported = async () => {
  const { headers, text } = await desk.get("/desk/carrier-set/export");
  expect(headers.get("content-disposition")).toBe('attachment; filename="carriers.json"');
  return { text, set: JSON.parse(text) as { carriers: Record<string, unknown>[]; routes: object[] } };
};
const stored = () => carrierSetting.stored(env, { waitUntil: () => undefined });

/** The fields of the form that takes what was compared. */
const shownForm = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="(mark|set)" value="([^"]*)"/gu)].map(([, name, value]) => [
      name,
      value,
    ]),
  );

const changesIn = (text: string): string[] =>
  [...(/id="changes".*?<\/ul>/su.exec(text)?.[0] ?? "").matchAll(/<li>(.*?)<\/li>/gsu)].map(([, line = ""]) =>
    unescaped(line.replaceAll(/<[^>]+>/gu, "")),
  );

describe("the file", () => {
  it("is exported without any secret, and changes nothing where it is taken again", async () => {
    await setCarrier("acme");
    await operator("PUT", "/operator/routes", { routes: [{ carriers: [{ name: "acme" }] }] });
    const before = await stored();
    const { text, set } = await exported();
    expect(set.carriers).toMatchObject([{ name: "acme", kind: "http", secrets: ["secret"] }]);
    expect(text).not.toContain("whsec_");
    const form = new FormData();
    form.set("file", new File([text], "carriers.json", { type: "application/json" }));
    const page = await desk.submit("/desk/carrier-set", form);
    expect([page.status, changesIn(page.text)]).toEqual([
      200,
      ["Nothing would change.", "The routes stay as they are."],
    ]);
    expect((await desk.submit("/desk/carrier-set/take", shownForm(page.text))).status).toBe(303);
    const after = await stored();
    expect(after.routes).toEqual(before.routes);
    expect(after.carriers.map(({ name, settings }) => [name, settings])).toEqual(
      before.carriers.map(({ name, settings }) => [name, settings]),
    );
    const { results } = await env.DB.prepare("select details from audit where action = 'carriers.imported'").all();
    expect(results).toContainEqual({ details: JSON.stringify({ carriers: 1, routes: 1 }) });
  });

  it("shows what would change before anything does, and no secret of the file", async () => {
    await setCarrier("acme");
    await setCarrier("gone");
    const carriers = [
      {
        name: "acme",
        ...ACME,
        settings: { url: "https://other.example.com/x" },
        secrets: { secret: OTHER_SECRET },
        tps: 5,
      },
      { name: "fresh", ...ACME },
    ];
    const text = JSON.stringify({ success: true, carriers, routes: [{ carriers: [{ name: "fresh", weight: 1 }] }] });
    const page = await desk.submit("/desk/carrier-set", { set: text });
    expect(changesIn(page.text)).toEqual([
      "acme: changed: tps, settings.url, secrets.secret",
      "fresh: new",
      "gone: deleted",
      "Routes: 0 now, 1 then.",
    ]);
    for (const secret of [OTHER_SECRET, ACME_SECRET]) expect(page.text).not.toContain(secret);
    expect((await stored()).carriers.map(({ name }) => name)).toEqual(["acme", "gone"]);
    expect((await desk.submit("/desk/carrier-set/take", shownForm(page.text))).status).toBe(303);
    const after = await stored();
    expect(after.carriers.map(({ name, tps }) => [name, tps])).toEqual([
      ["acme", 5],
      ["fresh", null],
    ]);
    expect(after.routes).toHaveLength(1);
  });

  it("is not taken where the set was changed since it was compared, nor in another form", async () => {
    const page = await desk.submit("/desk/carrier-set", { set: '{"carriers":[],"routes":[]}' });
    await setCarrier("acme");
    const form = shownForm(page.text);
    for (const tried of [form, { ...form, set: "AAAA" }, { mark: form["mark"] ?? "" }]) {
      const refused = await desk.submit("/desk/carrier-set/take", tried);
      expect([refused.status, refused.text.includes("changed meanwhile")]).toEqual([400, true]);
    }
    expect((await stored()).carriers).toHaveLength(1);
  });

  it.each([
    ["", "Choose a file"],
    ["{", "not valid JSON"],
    ["[]", "carriers must be"],
    ['{"carriers":[{"name":"sim","kind":"http","settings":{}}],"routes":[]}', "carriers[0].name"],
    ['{"carriers":[{"name":"a","kind":"http","settings":{}}],"routes":[]}', "carriers[0].settings.url"],
    ['{"carriers":[],"routes":[{"carriers":[{"name":"none"}]}]}', "routes[0].carriers[0].name"],
  ])("%j is refused, with the path of its fault", async (set, said) => {
    const page = await desk.submit("/desk/carrier-set", { set });
    expect(page.status).toBe(400);
    expect(unescaped(page.text)).toContain(said);
    expect(changesIn(page.text)).toEqual([]);
  });
});
