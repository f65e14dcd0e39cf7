import { describe, expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { Api } from "../../src/http/app.ts";
import { APPS } from "../../src/routes/index.ts";

const SOURCES = import.meta.glob<string>("../../src/routes/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const MODULES = import.meta.glob<Record<string, unknown>>("../../src/routes/**/*.{ts,tsx}", { eager: true });

/** Recognises a file that adds an endpoint by its source: it calls a method of an app with a path. */
const ADDS_ENDPOINT = /\bapp\s*\.\s*(get|post|put|patch|delete|all|on)\s*\(/u;

const nameOf = (path: string) => path.replace("../../", "");
const INDEX = "../../src/routes/index.ts";

type Endpoint = `${string} ${string}`;

/** Each endpoint once, however many handlers come before its own. */
function endpointsOf(app: Api): Endpoint[] {
  const found = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }): Endpoint => `${method} ${path}`);
  return [...new Set(found)];
}

/** The endpoints that a file's exports add, each applied to a fresh app. */
function endpointsIn(exported: Record<string, unknown>): Endpoint[] {
  return Object.values(exported).flatMap((add) => {
    if (typeof add !== "function" || add.length !== 1) return [];
    const app = createApp();
    try {
      // An export that does not accept an app is not a route, also where it only finds that out later.
      Promise.resolve((add as (app: Api) => unknown)(app)).catch(() => undefined);
    } catch {
      return [];
    }
    return endpointsOf(app);
  });
}

describe("every file under src/routes", () => {
  const files = Object.keys(MODULES).filter((path) => path !== INDEX);
  const mounted = new Set(endpointsOf(APPS.all()));

  it("is included in this test", () => {
    expect(Object.keys(SOURCES).toSorted()).toEqual(Object.keys(MODULES).toSorted());
    expect(files.length).toBeGreaterThan(15);
  });

  it.each(files.map((path) => [nameOf(path), path] as const))("%s is mounted", (name, path) => {
    const found = endpointsIn(MODULES[path] ?? {});
    const adds = ADDS_ENDPOINT.test(SOURCES[path] ?? "");
    expect(found.length > 0, `${name} adds an endpoint that none of its exports gives away`).toBe(adds);
    for (const endpoint of found) {
      expect(mounted.has(endpoint), `${name} has ${endpoint}, which src/routes/index.ts does not mount`).toBe(true);
    }
  });

  it.each(Object.keys(SOURCES).map((path) => [nameOf(path), path] as const))("%s is thin", (name, path) => {
    const imported = [...(SOURCES[path] ?? "").matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/gu)].map(
      ([, from = ""]) => from,
    );
    const heavy = imported.filter((from) => /(^|\/)db(\/|$)|^drizzle|(^|\/)carriers\/(?!table\.ts$)/u.test(from));
    expect(heavy, `${name} reads D1 or talks to a carrier; that belongs behind the account or in src/db`).toEqual([]);
    expect(/\benv\s*\.\s*DB\b/u.test(SOURCES[path] ?? ""), `${name} uses the D1 binding`).toBe(false);
  });

  it("has its own paths: no two files add the same endpoint", () => {
    const all = files.flatMap((path) => endpointsIn(MODULES[path] ?? {}));
    expect(all.filter((endpoint, at) => all.indexOf(endpoint) !== at)).toEqual([]);
    expect([...mounted].toSorted()).toEqual(all.toSorted());
  });
});

const orphan = (app: Api) => app.get("/orphan", (c) => c.text(""));

describe("the rule that finds an unmounted route", () => {
  it("sees the endpoints that an export adds, and ignores helpers", () => {
    expect(
      endpointsIn({ orphan, HELPS: 5, help: (text: string) => text.length, two: (a: number, b: number) => a + b }),
    ).toEqual(["GET /orphan"]);
    expect(ADDS_ENDPOINT.test('export const orphan = (app: Api) =>\n  app\n    .get("/orphan", handler);')).toBe(true);
    expect(ADDS_ENDPOINT.test("c.req.header(name); c.env.RECORDINGS.get(key); map.get(name)")).toBe(false);
  });
});
