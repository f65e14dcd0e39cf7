import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { readCursor, writeCursor } from "../../src/db/cursors.ts";

it("keeps a place per name until it is noted anew or forgotten", async () => {
  expect(await readCursor(env.DB, "walk")).toBeNull();
  await writeCursor(env.DB, "walk", "acc_a");
  await writeCursor(env.DB, "other walk", "acc_z");
  await writeCursor(env.DB, "walk", "acc_b");
  expect(await readCursor(env.DB, "walk")).toBe("acc_b");
  await writeCursor(env.DB, "walk", null);
  expect(await readCursor(env.DB, "walk")).toBeNull();
  expect(await readCursor(env.DB, "other walk")).toBe("acc_z");
});
