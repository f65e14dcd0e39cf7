import type { Api } from "../../app.ts";
import { fail } from "../../errors.ts";

/** `/v1/test/inbox`. */
export const inboxApi = (app: Api) =>
  app.get("/v1/test/inbox", () => fail("not_found", "There is nothing at this address."));
