import type { Api } from "../../app.ts";
import { fail } from "../../errors.ts";

/** `/webhooks/payments/:provider`. */
export const paymentWebhooks = (app: Api) =>
  app.post("/webhooks/payments/:provider", () => fail("not_found", "There is nothing at this address."));
