import type { Api } from "../http/app.ts";
import { fail } from "../http/errors.ts";
import { missingParts } from "../operator/readiness.ts";

/** `GET /healthz` and `GET /readyz`, on every base (contract §12). */
export const health = (app: Api) => {
  app.get("/healthz", (c) => c.json({ success: true }));

  app.get("/readyz", async (c) => {
    const missing = await missingParts(c.env);
    if (missing.length > 0) fail("unavailable", `Not ready: ${missing.join(", ")} cannot be reached.`);
    return c.json({ success: true });
  });
};
