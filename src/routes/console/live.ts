import { ownSocket, page, signedIn, stubOf } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";

/** The feed of the object, which checks no credentials: only this Worker can reach it, and no cookie is passed on. */
const FEED_URL = "https://account/live";

/** `/live`: a WebSocket with the changes of the account; `from` is the oldest job that the browser shows. */
export const liveFeed = (app: Api) =>
  app.get("/live", page, signedIn, ownSocket, (c) => {
    const from = c.req.query("from") ?? "";
    const query = /^\d{1,15}$/u.test(from) ? `?from=${from}` : "";
    return stubOf(c).fetch(FEED_URL + query, { headers: { Upgrade: "websocket" } });
  });
