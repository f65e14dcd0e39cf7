import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createApp } from "../../src/http/app.ts";
import { afterField, limitField, numbersIn, query } from "../../src/http/query.ts";
import { env } from "cloudflare:workers";

const schema = z.object({ limit: limitField, after: afterField(numbersIn(2)) });

const app = createApp();
app.get("/things", query(schema), (c) => c.json(c.req.valid("query")));

async function ask(search: string) {
  const reply = await app.request(`/things${search}`, {}, env);
  return { status: reply.status, body: await reply.json() };
}

describe("query", () => {
  it.each([
    ["", { limit: 100 }],
    ["?limit=1", { limit: 1 }],
    ["?limit=500&after=12.3", { limit: 500, after: [12, 3] }],
    // An unknown parameter is ignored, and of one that stands twice the first counts.
    ["?page=2", { limit: 100 }],
    ["?limit=2&limit=x", { limit: 2 }],
  ])("reads %s", async (search, body) => {
    expect(await ask(search)).toEqual({ status: 200, body });
  });

  it.each([
    ["?limit=0", "limit", "limit must be a whole number from 1 to 500."],
    ["?limit=501", "limit", "limit must be a whole number from 1 to 500."],
    ["?limit=", "limit", "limit must be a whole number from 1 to 500."],
    ["?limit=1e2", "limit", "limit must be a whole number from 1 to 500."],
    ["?limit=x&limit=2", "limit", "limit must be a whole number from 1 to 500."],
    ["?after=", "after", "after must be the next of the page before."],
    ["?after=12", "after", "after must be the next of the page before."],
    ["?after=-1.2", "after", "after must be the next of the page before."],
  ])("refuses %s", async (search, param, error) => {
    expect(await ask(search)).toMatchObject({ status: 400, body: { code: "invalid_request", param, error } });
  });
});
