import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  bearer,
  call,
  dispatch,
  follow,
  messagesOf,
  openWorld,
  recordHistory,
  sendBulk,
  sendSms,
} from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// `send_at` of a message (contract §13): for when it was ordered, and null for at once, whatever became of it.

const CONSOLE = "http://console.localhost/v1";
const NOW = Date.UTC(2040, 0, 4, 6);
const SEND_AT = new Date(NOW + 7_200_000).toISOString();

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => vi.useRealTimers());

const get = (world: World, path: string, accept = "application/json") =>
  call(CONSOLE + path, { headers: { ...bearer(world.apiKey), accept } });

/** State and time of every message, oldest first, in each form in which the API has them. */
async function everywhere(world: World): Promise<unknown[]> {
  const list = (await get(world, "/messages")).body.data as Record<string, string>[];
  const [head = "", ...lines] = (await get(world, "/messages.csv")).text.trimEnd().split("\r\n");
  const columns = head.split(",");
  const file = lines.map((line) => {
    const cells = line.split(",");
    return { state: cells[columns.indexOf("state")], send_at: cells[columns.indexOf("send_at")] || null };
  });
  const ndjson = (await get(world, "/messages", "application/x-ndjson")).text.trimEnd().split("\n");
  const stream = ndjson.map((line) => JSON.parse(line) as Record<string, string>);
  const details = [];
  const requests = [];
  for (const { id, request_id } of list) {
    details.push((await get(world, `/messages/${id}`)).body.message as Record<string, string>);
    const own = (await get(world, `/requests/${request_id}`)).body.data as Record<string, string>[];
    requests.push(own.find((one) => one["id"] === id) ?? {});
  }
  const forms = [list, file, stream, details, requests].map((form) =>
    form.map(({ state, send_at }) => [state, send_at]).toReversed(),
  );
  for (const form of forms) expect(form).toEqual(forms[0]);
  return forms[0] ?? [];
}

it("is the time of what was scheduled, before it and after it, also out of history", async () => {
  const world = await openWorld({ mode: "test", balance: 100 });
  await sendSms(world);
  await sendSms(world, { body: { sendAt: "2040-01-04T13:30:00+05:30" } });
  const cancelled = await sendSms(world, { body: { sendAt: SEND_AT } });
  // A time that has just passed is now.
  await sendSms(world, { body: { sendAt: new Date(NOW - 30_000).toISOString() } });
  await sendBulk(world, 2);
  const path = `${CONSOLE}/messages/${cancelled.headers.get("x-message-id")}`;
  await call(path, { method: "DELETE", headers: bearer(world.apiKey) });
  const atOnce = ["queued", null];
  expect(await everywhere(world)).toEqual([
    atOnce,
    ["scheduled", SEND_AT],
    ["cancelled", SEND_AT],
    atOnce,
    atOnce,
    atOnce,
  ]);
  vi.setSystemTime(NOW + 7_200_000);
  expect((await everywhere(world))[1]).toEqual(["queued", SEND_AT]);
  const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
  await dispatch(world, seqs);
  await follow(world, seqs);
  await recordHistory(world, seqs);
  const delivered = ["delivered", null];
  expect(await everywhere(world)).toEqual([
    delivered,
    ["delivered", SEND_AT],
    ["cancelled", SEND_AT],
    delivered,
    delivered,
    delivered,
  ]);
});
