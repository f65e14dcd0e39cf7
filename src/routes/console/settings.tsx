import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/settings`. */
export const settingsPages = (app: Api) =>
  app.get("/settings", page, signedIn, (c) =>
    show(c, <PageHead title="Settings" />, { title: "Settings", active: "settings" }),
  );
