import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/send`. */
export const sendPages = (app: Api) =>
  app.get("/send", page, signedIn, (c) => show(c, <PageHead title="Send" />, { title: "Send", active: "send" }));
