import { expect, it } from "vitest";
import { Visitor } from "../../world/visitor.ts";

// The guides for other products are found by the products' names.

const GUIDES = {
  supabase: ["Supabase", "send sms hook"],
  "sign-in-products": ["Keycloak", "authentik", "Logto", "ZITADEL"],
};

it.each(Object.entries(GUIDES))("finds the guide %s by the names in it, in both languages", async (guide, names) => {
  for (const lang of ["en", "hi"]) {
    const visitor = new Visitor();
    visitor.cookies.set("lang", lang);
    const page = await visitor.get(`/docs/${guide}`);
    expect(page.status).toBe(200);
    for (const name of names) {
      const { text } = await visitor.get(`/docs/search?q=${encodeURIComponent(name)}`);
      const [, results = ""] = text.split("<main");
      expect([lang, name, results.includes(`href="/docs/${guide}"`)]).toEqual([lang, name, true]);
    }
  }
});
