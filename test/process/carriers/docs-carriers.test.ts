import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endPrograms, ROOT } from "../../../harness/program.ts";
import { OPERATOR_TOKEN, startService } from "../../../harness/started.ts";
import type { Service } from "../../../harness/started.ts";
import { CARRIER_KINDS } from "../../../src/model/carrier/carrier.ts";
import { PRESETS } from "../../../src/carriers/presets.ts";

// What docs/carriers.md tells an operator to send is taken as it stands there.

const text = readFileSync(path.join(ROOT, "docs/carriers.md"), "utf8");
const SETUPS = [...text.matchAll(/operator\/carriers\/([a-z-]+)" -H "\$AUTH" -H "\$JSON" -d '(\{\n[^']+)'/gu)].map(
  ([, name = "", body = ""]) => ({ name, body: JSON.parse(body) as { kind: string; secrets: object } }),
);

let service: Service;

beforeAll(async () => {
  service = await startService({});
});

afterAll(endPrograms);

const ask = (method: string, at: string, body?: object) =>
  service.call(at, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    ...(body && { body }),
  });

it("docs/carriers.md sets up every kind, which the service takes, with a callback address where receipts come by HTTP", async () => {
  expect(SETUPS.map(({ body }) => body.kind).toSorted()).toEqual(
    CARRIER_KINDS.filter((kind) => kind !== "sim").toSorted(),
  );
  for (const { name, body } of SETUPS) {
    const { status, body: reply } = await ask("PUT", `/operator/carriers/${name}`, body);
    expect(status, name).toBe(200);
    const carrier = (reply as unknown as { carrier: Record<string, unknown> }).carrier;
    expect(carrier).toMatchObject({ name, kind: body.kind, secrets: Object.keys(body.secrets) });
    expect(carrier["callback_url"] === null, name).toBe(body.kind === "smpp");
  }
  const routes = [{ carriers: [{ name: "relay" }] }];
  expect((await ask("PUT", "/operator/routes", { routes })).status).toBe(200);
});

it("docs/carriers.md names every preset", () => {
  const named = [...text.matchAll(/^\| ([a-z0-9]+) +\| /gmu)].map(([, name]) => name);
  for (const name of Object.keys(PRESETS)) expect(named).toContain(name);
});
