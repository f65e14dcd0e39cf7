import { afterEach, expect, it, vi } from "vitest";
import type { Idempotency } from "../../../src/model/command.ts";
import type { Recording } from "../../../src/model/message.ts";
import { openWorld, sendSms } from "../../world/world.ts";

// An Idempotency-Key is held during an upload: a slow upload never takes it from a later holder.

afterEach(() => vi.useRealTimers());

const bytes = (value: number) => new Uint8Array(32).fill(value);

const held = (template: number): Idempotency => ({ key: bytes(1), fingerprint: bytes(2), template: bytes(template) });

const recording = (fileId: string): Recording => ({
  fileId,
  name: "a.wav",
  objectKey: "x",
  mime: "audio/wav",
  sizeBytes: 1,
  durationMs: 1,
});

it("answers with the recording of the request that holds the key, not of a slower one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const { stub, keyId } = await openWorld();
  const slow = { keyId, requestId: "req_slow", idempotency: held(3) };
  const quick = { keyId, requestId: "req_quick", idempotency: held(4) };
  expect(await stub.beginUpload(slow)).toMatchObject({ ok: true, replayed: false });
  expect(await stub.beginUpload(quick)).toMatchObject({ reason: "idempotency_in_progress" });
  vi.setSystemTime(Date.now() + 61_000);
  expect(await stub.beginUpload(quick)).toMatchObject({ ok: true, replayed: false });
  await stub.finishUpload(slow, recording("file_slow"));
  await stub.abandonUpload(slow);
  expect(await stub.beginUpload(slow)).toMatchObject({ reason: "idempotency_in_progress" });
  await stub.finishUpload(quick, recording("file_quick"));
  expect(await stub.beginUpload(slow)).toMatchObject({ replayed: true, template: bytes(4) });
});

it("does not overwrite a send that took the key in the meantime", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const world = await openWorld();
  const headers = { "idempotency-key": "mine" };
  const sent = await sendSms(world, { headers });
  const upload = { keyId: world.keyId, requestId: "req_slow", idempotency: held(3) };
  await world.stub.beginUpload(upload);
  vi.setSystemTime(Date.now() + 61_000);
  await world.stub.finishUpload(upload, recording("file_x"));
  expect((await sendSms(world, { headers })).text).toBe(sent.text);
});
