import { ownSocket, page, signedIn, stubOf } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";

/** The object does not ask who calls: only this Worker reaches it, and no cookie travels to it. */
const FEED_URL = "https://account/live";

/** `/live`: a WebSocket on which the account tells what changes. `from` is the oldest job that the browser shows. */
export const liveFeed = (app: Api) =>
  app.get("/live", page, signedIn, ownSocket, (c) => {
    const from = c.req.query("from") ?? "";
    const query = /^\d{1,15}$/u.test(from) ? `?from=${from}` : "";
    return stubOf(c).fetch(FEED_URL + query, { headers: { Upgrade: "websocket" } });
  });
