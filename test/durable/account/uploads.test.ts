import { afterEach, expect, it, vi } from "vitest";
import type { Idempotency } from "../../../src/model/command.ts";
import { QUOTA, uploadOf } from "../../world/recordings.ts";
import { openWorld, sendSms } from "../../world/world.ts";

// An Idempotency-Key is held during an upload: a slow upload never takes it from a later holder.

afterEach(() => vi.useRealTimers());

const bytes = (value: number) => new Uint8Array(32).fill(value);

const held = (template: number): Idempotency => ({ key: bytes(1), fingerprint: bytes(2), template: bytes(template) });

const [SLOW, QUICK] = [uploadOf("file_slow"), uploadOf("file_quick")];

it("answers with the recording of the request that holds the key, not of a slower one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { stub, keyId } = await openWorld();
  const slow = { keyId, requestId: "req_slow", idempotency: held(3) };
  const quick = { keyId, requestId: "req_quick", idempotency: held(4) };
  expect(await stub.beginUpload(slow, SLOW, QUOTA)).toMatchObject({ ok: true, replayed: false });
  expect(await stub.beginUpload(quick, QUICK, QUOTA)).toMatchObject({ reason: "idempotency_in_progress" });
  vi.setSystemTime(Date.now() + 61_000);
  expect(await stub.beginUpload(quick, QUICK, QUOTA)).toMatchObject({ ok: true, replayed: false });
  await stub.endUpload(slow, SLOW, true);
  await stub.endUpload(slow, SLOW, false);
  expect(await stub.beginUpload(slow, SLOW, QUOTA)).toMatchObject({ reason: "idempotency_in_progress" });
  await stub.endUpload(quick, QUICK, true);
  expect(await stub.beginUpload(slow, SLOW, QUOTA)).toMatchObject({ replayed: true, template: bytes(4) });
});

it("does not overwrite a send that took the key in the meantime", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const world = await openWorld();
  const headers = { "idempotency-key": "mine" };
  const sent = await sendSms(world, { headers });
  const upload = { keyId: world.keyId, requestId: "req_slow", idempotency: held(3) };
  await world.stub.beginUpload(upload, SLOW, QUOTA);
  vi.setSystemTime(Date.now() + 61_000);
  await world.stub.endUpload(upload, SLOW, true);
  expect((await sendSms(world, { headers })).text).toBe(sent.text);
});
