import { isFromHere, page, wantsSocket } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { listenAddress } from "../../inbox/listener.ts";
import { SEARCH_LENGTH_MAX } from "../../search/language.ts";
import { inboxOf, inboxReader } from "./inbox.tsx";

/** `/inbox/live`: a WebSocket on which the inbox tells what lands. `after` is the newest place that the page shows. */
export const inboxLive = (app: Api) =>
  app.get("/inbox/live", page, inboxReader, async (c) => {
    // On one's own machine no cookie is asked for: this alone keeps other sites from reading codes.
    if (!isFromHere(c)) fail("permission_denied", "This address is for the pages of this console.");
    if (!wantsSocket(c)) {
      return c.text("This address takes WebSockets.", 426, { Upgrade: "websocket" });
    }
    const after = c.req.query("after") ?? "";
    const q = (c.req.query("q") ?? "").slice(0, SEARCH_LENGTH_MAX);
    const listener = {
      filter: { account: null, q },
      after: /^[0-9]{1,15}$/u.test(after) ? Number(after) : null,
    };
    return inboxOf(c).fetch(listenAddress(listener), { headers: { Upgrade: "websocket" } });
  });
