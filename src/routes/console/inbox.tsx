import type { Api } from "../../app.ts";
import { page, show } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/inbox`. */
export const inboxPages = (app: Api) =>
  app.get("/inbox", page, (c) => show(c, <PageHead title="/inbox" />, { title: "/inbox", bare: true }));
