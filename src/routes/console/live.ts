import type { Api } from "../../app.ts";
import { fail } from "../../errors.ts";

/** `/live`. */
export const liveFeed = (app: Api) => app.get("/live", () => fail("not_found", "There is nothing at this address."));
