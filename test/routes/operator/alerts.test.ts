import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ALERT_SECRET, receiveAlerts } from "../../world/alerts.ts";
import { callWith } from "../../world/deployment.ts";
import { expectFailure, operatorSuite } from "../../world/operating.ts";
import { bearer, operator } from "../../world/world.ts";

// `POST /operator/alerts/test`: tries the channel of alerts.

afterEach(() => vi.restoreAllMocks());

describe("/operator/alerts/test", () => operatorSuite("POST", "/operator/alerts/test"));

const CHANNEL = { ALERT_URL: "http://pager.test/alerts", ALERT_SECRET } as Partial<Cloudflare.Env>;

const tryIt = () =>
  callWith(CHANNEL, "http://console.localhost/operator/alerts/test", {
    method: "POST",
    headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": "application/json" },
    body: "{}",
  });

it("sends a signed test notice, says what came back, and is in the audit trail", async () => {
  const answers = [new Response("noted", { status: 202 }), new Response("no", { status: 500 })];
  const { received } = receiveAlerts((nth) => answers[nth] ?? Promise.reject(new Error("refused")));
  const took = { took_ms: expect.any(Number) };
  expect((await tryIt()).body).toEqual({ success: true, delivered: true, status: 202, ...took, answer: "noted" });
  expect((await tryIt()).body).toEqual({ success: true, delivered: false, status: 500, ...took, answer: "no" });
  expect((await tryIt()).body).toMatchObject({ delivered: false, status: null, answer: "connection failed" });
  expect(received.map(({ body }) => body.type)).toEqual(["alert.test", "alert.test", "alert.test"]);
  const { results } = await env.DB.prepare("SELECT details FROM audit WHERE action = 'alert.tested' ORDER BY at").all();
  expect(results).toHaveLength(3);
});

it("is refused without a channel", async () => {
  expectFailure(await operator("POST", "/operator/alerts/test", {}), 404, "not_found");
});
