import { ownSocket, page } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { listenAddress } from "../../inbox/listener.ts";
import { SEARCH_LENGTH_MAX } from "../../search/terms.ts";
import { inboxOf, inboxReader } from "./inbox.tsx";

/** `/inbox/live`: a WebSocket with each message that lands in the inbox; `after` is the newest place on the page. */
export const inboxLive = (app: Api) =>
  app.get("/inbox/live", page, inboxReader, ownSocket, (c) => {
    const after = c.req.query("after") ?? "";
    const q = (c.req.query("q") ?? "").slice(0, SEARCH_LENGTH_MAX);
    const listener = {
      filter: { account: null, q },
      after: /^[0-9]{1,15}$/u.test(after) ? Number(after) : null,
    };
    return inboxOf(c).fetch(listenAddress(listener), { headers: { Upgrade: "websocket" } });
  });
