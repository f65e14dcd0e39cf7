import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { FailureError } from "../../src/http/errors.ts";
import { KeptSetting } from "../../src/kept/setting.ts";

// Changes of a setting that others change at the same time. How an isolate keeps and looks for a value is tested with the
// rate card (test/sending/rate-card.test.ts).

const KEY = "settings/test-names.json";

const names = () =>
  new KeptSetting<readonly string[]>({
    key: KEY,
    cache: "test-names",
    copyPath: "/operator/test-names",
    title: "test names",
    read: (stored) => stored as string[],
    otherwise: [],
    unreadable: "The names cannot be read at the moment; repeat the request.",
  });

const bucket = env.RECORDINGS;
const ctx = { waitUntil: () => undefined };
const stored = async () => (await bucket.get(KEY))?.json();

afterEach(() => bucket.delete(KEY));

describe("a change", () => {
  it("is made of what is stored, at first of the value until one is", async () => {
    const setting = names();
    expect(await setting.change(bucket, (all) => [...all, "a"])).toEqual(["a"]);
    expect(await names().change(bucket, (all) => [...all, "b"])).toEqual(["a", "b"]);
    expect(await stored()).toEqual(["a", "b"]);
  });

  it("is lost by none of many at the same time, the very first among them", async () => {
    const given = ["a", "b", "c", "d"];
    await Promise.all(given.map((name) => names().change(bucket, (all) => [...all, name])));
    expect(((await stored()) as string[]).toSorted()).toEqual(given);
  });

  it("is made anew with what another wrote meanwhile, and given up where that never ends", async () => {
    const seen: string[][] = [];
    let others = 0;
    const change = names().change(bucket, async (all) => {
      seen.push([...all]);
      if (others < 1) await bucket.put(KEY, JSON.stringify([`other ${++others}`]));
      return [...all, "mine"];
    });
    expect(await change).toEqual(["other 1", "mine"]);
    expect(seen).toEqual([[], ["other 1"]]);
    const never = names().change(bucket, async (all) => {
      await bucket.put(KEY, JSON.stringify([`other ${++others}`]));
      return [...all, "mine"];
    });
    await expect(never).rejects.toMatchObject({ failure: { code: "unavailable" } });
    expect(await stored()).toEqual([`other ${others}`]);
  });

  it("that is none writes nothing, nor does one that is refused", async () => {
    await bucket.put(KEY, JSON.stringify(["a"]));
    const etag = (await bucket.head(KEY))?.etag;
    expect(await names().change(bucket, () => null)).toEqual(["a"]);
    const refused = names().change(bucket, () => {
      throw new FailureError({ code: "in_use", error: "No." });
    });
    await expect(refused).rejects.toThrow(FailureError);
    expect((await bucket.head(KEY))?.etag).toBe(etag);
  });

  it("holds at once in the isolate that made it", async () => {
    const setting = names();
    expect(await setting.stored(env, ctx)).toEqual([]);
    await setting.change(bucket, () => ["a"]);
    expect(await setting.current(env, ctx)).toEqual(["a"]);
  });
});
