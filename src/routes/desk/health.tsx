import type { Context } from "hono";
import { sendTestNotice } from "../../alerts/channel.ts";
import type { Delivery } from "../../alerts/channel.ts";
import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import { page } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { healthOf } from "../../operator/health.ts";
import { DeskHealth } from "../../ui/desk/health.tsx";

async function healthPage(c: Context<AppEnv>, tested?: Delivery | null) {
  const health = await healthOf(c.env, Date.now());
  const hasChannel = settings(c).ALERT_URL !== undefined;
  return showDesk(c, "health", <DeskHealth health={health} hasChannel={hasChannel} tested={tested} />);
}

/** `/desk/health`: the service's health at a glance, and a test of the channel of alerts. */
export const deskHealthPages = (app: Api) => {
  app.get("/desk/health", page, atDesk("read"), (c) => healthPage(c));

  app.post("/desk/health/test", page, atDesk("alerts"), async (c) => {
    await formOf(c);
    const tested = await sendTestNotice(c.env, Date.now());
    if (tested) await audit(c, { action: "alert.tested", details: { delivered: tested.ok, status: tested.status } });
    return healthPage(c, tested);
  });
};
