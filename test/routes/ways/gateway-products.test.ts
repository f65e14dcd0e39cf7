import { describe, expect, it } from "vitest";
import { sentBy } from "../../world/sent.ts";
import { call, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// What products send to the gateway, each as its source does. The sources were read at the commits that GitHub had in
// November 2026; `source` names repository and file.

interface Product {
  source: string;
  /** The Authorization header, or another one with the key. */
  headers: (key: string) => Record<string, string>;
  /** An object is sent as JSON, a text as a form. */
  body: object | string;
  query?: string;
  sent: { to: string; text: string; sender?: string };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const bare = (key: string) => ({ authorization: key });
const basic =
  (user: string, password?: string) =>
  (key: string): Record<string, string> => ({ authorization: `Basic ${btoa(`${user}:${password ?? key}`)}` });

const KEYCLOAK = "netzbegruenung/keycloak-mfa-plugins sms-authenticator/…/gateway/ApiSmsService.java";
const AUTHENTIK = "goauthentik/authentik authentik/stages/authenticator_sms/models.py";
const FRAPPE = "frappe/frappe frappe/core/doctype/sms_settings/sms_settings.py";
const HOME_ASSISTANT = "home-assistant/core homeassistant/components/rest/notify.py";
const UPTIME_KUMA = "louislam/uptime-kuma server/notification-providers/webhook.js";
const GRAFANA = "grafana/alerting receivers/webhook/v1/webhook.go, templates/default_template.go";
const APPRISE = "caronc/apprise apprise/plugins/NotifyJSON.py, NotifyForm.py (1.2.0)";

/** authentik's own text. */
const AUTHENTIK_BODY = {
  From: "+15005550006",
  To: "+919876543210",
  Body: "123456",
  Message: "Use this code to authenticate in authentik: 123456",
};

const LABELS = { alertname: "DiskFull", instance: "db1:9100", severity: "critical" };
const ANNOTATIONS = { summary: "Disk of db1 is 97 % full", description: "Volume /var is nearly full." };
const ALERT = {
  status: "firing",
  labels: LABELS,
  annotations: ANNOTATIONS,
  startsAt: "2026-11-22T06:30:00.000Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "http://prometheus:9090/graph?g0.expr=x",
  fingerprint: "d3b07384d113edec",
};

const GROUP = {
  receiver: "sms",
  status: "firing",
  alerts: [ALERT],
  groupLabels: { alertname: "DiskFull" },
  commonLabels: LABELS,
  commonAnnotations: ANNOTATIONS,
  externalURL: "http://alertmanager:9093",
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
};

const GRAFANA_BODY = {
  ...GROUP,
  version: "1",
  orgId: 1,
  state: "alerting",
  title: "[FIRING:1] DiskFull (db1:9100 critical)",
  alerts: [{ ...ALERT, values: { A: 97 }, valueString: "[ var='A' value=97 ]", silenceURL: "http://grafana/s" }],
  message:
    "**Firing**\n\nValue: A=97\nLabels:\n - alertname = DiskFull\n - instance = db1:9100\n - severity = critical\nAnnotations:\n - summary = Disk of db1 is 97 % full\nSource: http://grafana/alerting/grafana/x/view?orgId=1\nSilence: http://grafana/s\n",
};

const PRODUCTS: Record<string, Product> = {
  "Keycloak, JSON, the token as it is": {
    source: KEYCLOAK,
    headers: bare,
    body: { message: "Your SMS code is 1234", to: "+919876543210", sender: "Keycloak" },
    sent: { to: "+919876543210", text: "Your SMS code is 1234", sender: "Keycloak" },
  },
  "Keycloak, JSON, user and token": {
    source: KEYCLOAK,
    headers: basic("dastak"),
    body: { uuid: "0b2f3a", message: "Your SMS code is 1234", to: "+4917612345678", sender: "Keycloak SSO" },
    sent: { to: "+4917612345678", text: "Your SMS code is 1234" },
  },
  "Keycloak, form, the token as it is": {
    source: KEYCLOAK,
    headers: bare,
    body: "message=Your+SMS+code+is+1234&to=%2B919876543210&sender=Keycloak",
    sent: { to: "+919876543210", text: "Your SMS code is 1234", sender: "Keycloak" },
  },
  "Keycloak, form, user and token": {
    source: KEYCLOAK,
    headers: basic("dastak"),
    // Its attribute for the token has no name then, and the token is in the form as well.
    body: "null=secret&message=Your+SMS+code+is+1234&to=%2B919876543210&sender=Keycloak",
    sent: { to: "+919876543210", text: "Your SMS code is 1234", sender: "Keycloak" },
  },
  "authentik, generic, basic": {
    source: AUTHENTIK,
    headers: basic("dastak"),
    body: AUTHENTIK_BODY,
    sent: { to: "+919876543210", text: "Use this code to authenticate in authentik: 123456" },
  },
  "authentik, generic, bearer": {
    source: AUTHENTIK,
    headers: bearer,
    body: { ...AUTHENTIK_BODY, From: "MYSHOP" },
    sent: { to: "+919876543210", text: "Use this code to authenticate in authentik: 123456", sender: "MYSHOP" },
  },
  "Novu, generic SMS": {
    source: "novuhq/novu packages/providers/src/lib/sms/generic-sms/generic-sms.provider.ts",
    headers: (key) => ({ "x-api-key": key }),
    body: {
      to: "+919876543210",
      from: "MYSHOP",
      content: "Your parcel is here",
      id: "665f1c2e9b1d8a0012ab34cd",
      customData: {},
      sender: "MYSHOP",
    },
    sent: { to: "+919876543210", text: "Your parcel is here", sender: "MYSHOP" },
  },
  "Frappe and ERPNext, form": {
    source: FRAPPE,
    headers: (key) => ({ ...bearer(key), accept: "text/plain, text/html, */*" }),
    body: "message=Invoice+ACC-SINV-2026-00042+is+due&sender=MYSHOP&to=098765-43210",
    sent: { to: "+919876543210", text: "Invoice ACC-SINV-2026-00042 is due", sender: "MYSHOP" },
  },
  "Frappe and ERPNext, JSON": {
    source: FRAPPE,
    headers: (key) => ({ "x-api-key": key, "content-type": "application/json" }),
    body: { msg: "Invoice ACC-SINV-2026-00042 is due", numbers: "98765 43210" },
    sent: { to: "+919876543210", text: "Invoice ACC-SINV-2026-00042 is due" },
  },
  "Logto, HTTP SMS": {
    source: "logto-io/logto packages/connectors/connector-http-sms/src/index.ts",
    headers: bearer,
    body: { to: "919876543210", type: "SignIn", payload: { code: "654321" }, ip: "192.168.1.100" },
    sent: { to: "+919876543210", text: "654321 is your verification code." },
  },
  "Logto, HTTP SMS, abroad": {
    source: "logto-io/logto packages/connectors/connector-http-sms/src/index.ts",
    headers: bare,
    body: { to: "14155550132", type: "Register", payload: { code: "048213", locale: "en" } },
    sent: { to: "+14155550132", text: "048213 is your verification code." },
  },
  "ZITADEL, HTTP": {
    source: "zitadel/zitadel internal/notification/types/user_phone.go, messages/json.go",
    headers: bearer,
    body: {
      contextInfo: {
        eventType: "user.human.phone.code.added",
        provider: { id: "1" },
        recipientPhoneNumber: "+919876543210",
      },
      templateData: { title: "ZITADEL - Verify phone", text: "Your code is 777111.", buttonText: "Verify" },
      args: { code: "777111", firstName: "Asha" },
    },
    sent: { to: "+919876543210", text: "Your code is 777111." },
  },
  "Home Assistant, rest notify, POST": {
    source: HOME_ASSISTANT,
    headers: bearer,
    body: "message=Door+open&title=Home+Assistant&to=%2B919876543210",
    sent: { to: "+919876543210", text: "Home Assistant: Door open" },
  },
  "Home Assistant, rest notify, POST_JSON": {
    source: HOME_ASSISTANT,
    headers: basic("homeassistant"),
    body: { message: "Door open", target: "9876543210" },
    sent: { to: "+919876543210", text: "Door open" },
  },
  "Uptime Kuma, application/json": {
    source: UPTIME_KUMA,
    headers: bearer,
    query: "?to=9876543210",
    body: {
      heartbeat: {
        monitorID: 1,
        status: 0,
        time: "2026-11-22 06:30:00",
        msg: "timeout",
        important: true,
        duration: 60,
      },
      monitor: { id: 1, name: "shop", url: "https://shop.example", hostname: null, port: null, type: "http" },
      msg: "[shop] [🔴 Down] connect ECONNREFUSED 10.0.0.1:443",
    },
    sent: { to: "+919876543210", text: "[shop] [Down] connect ECONNREFUSED 10.0.0.1:443" },
  },
  "Uptime Kuma, its test": {
    source: UPTIME_KUMA,
    headers: bearer,
    query: "?to=9876543210",
    body: { heartbeat: null, monitor: null, msg: "Dastak Testing" },
    sent: { to: "+919876543210", text: "Dastak Testing" },
  },
  "Uptime Kuma, custom body, which axios calls a form": {
    source: UPTIME_KUMA,
    headers: (key) => ({ ...bearer(key), "content-type": "application/x-www-form-urlencoded" }),
    body: '{"to": "+919876543210", "message": "[shop] Down & out"}',
    sent: { to: "+919876543210", text: "[shop] Down & out" },
  },
  Grafana: {
    source: GRAFANA,
    headers: bearer,
    query: "?to=9876543210",
    body: GRAFANA_BODY,
    sent: { to: "+919876543210", text: "FIRING DiskFull: Disk of db1 is 97 % full" },
  },
  "Grafana, with a message of its user": {
    source: GRAFANA,
    headers: basic("grafana"),
    query: "?to=9876543210",
    body: { ...GRAFANA_BODY, message: "Disk of db1 is “nearly” full" },
    sent: { to: "+919876543210", text: 'Disk of db1 is "nearly" full' },
  },
  Alertmanager: {
    source: "prometheus/alertmanager notify/webhook/webhook.go, template/template.go",
    headers: bearer,
    query: "?to=9876543210",
    body: { ...GROUP, version: "4" },
    sent: { to: "+919876543210", text: "FIRING DiskFull: Disk of db1 is 97 % full" },
  },
  "Alertmanager, its number in a label": {
    source: "prometheus/alertmanager notify/webhook/webhook.go, template/template.go",
    headers: bearer,
    query: "?to=9876543210",
    body: {
      ...GROUP,
      version: "4",
      receiver: "on-call",
      status: "resolved",
      alerts: [ALERT, ALERT].map((alert) => ({ ...alert, status: "resolved" })),
      commonLabels: { ...LABELS, phone: "+14155550132" },
    },
    sent: { to: "+14155550132", text: "RESOLVED (2) DiskFull: Disk of db1 is 97 % full" },
  },
  "Apprise, json://": {
    source: APPRISE,
    headers: basic("dastak"),
    body: { version: "1.0", title: "Backup", message: "done", attachments: [], type: "info", to: "9876543210" },
    sent: { to: "+919876543210", text: "Backup: done" },
  },
  "Apprise, form://": {
    source: APPRISE,
    headers: basic("dastak"),
    body: "version=1.0&title=&message=done&type=info&to=9876543210",
    sent: { to: "+919876543210", text: "done" },
  },
  "Ory Kratos, with its example's template": {
    source: "ory/kratos courier/stub/request.config.twilio.jsonnet",
    headers: bearer,
    body: { from: "Ory", to: "+14155550132", body: "Your login code is: 123456" },
    sent: { to: "+14155550132", text: "Your login code is: 123456", sender: "Ory" },
  },
};

describe("the gateway understands", () => {
  it.each(Object.entries(PRODUCTS))("%s", async (_name, { source, headers, body, query = "", sent }) => {
    expect(source).toMatch(/^[\w-]+\/[\w-]+ \S/u);
    const world = await openWorld();
    const isForm = typeof body === "string";
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const reply = await call(`http://sms.localhost/v1/gateway${query}`, {
      method: "POST",
      headers: { "content-type": type, ...headers(world.apiKey) },
      body: isForm ? body : JSON.stringify(body),
    });
    expect(reply.body).toMatchObject({ success: true });
    expect(await sentBy(world)).toEqual([sent]);
  });
});

const refused = async (world: World) => {
  const { body } = await post("http://sms.localhost/v1/gateway", AUTHENTIK_BODY, bearer(world.apiKey));
  return [body["code"], body["error"], body["hint"]];
};

describe("the gateway's refusal, which authentik shows to the person who signs in", () => {
  it("has no figure or date of an account whose balance does not reach, or that is suspended or closing", async () => {
    const world = await openWorld({ balance: 0.5 });
    const poor = "The balance does not reach; Requests in the dashboard says more.";
    expect(await refused(world)).toEqual(["insufficient_balance", poor, undefined]);
    const cannot = ["account_suspended", "This account cannot send; Requests in the dashboard says more.", undefined];
    await world.stub.amend({ status: "suspended" });
    expect(await refused(world)).toEqual(cannot);
    await world.stub.amend({ status: "active" });
    await world.stub.close(Date.now() + 30 * 86_400_000);
    expect(await refused(world)).toEqual(cannot);
  });
});
