import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/billing`. */
export const billingPages = (app: Api) =>
  app.get("/billing", page, signedIn, (c) =>
    show(c, <PageHead title="Plans & billing" />, { title: "Plans & billing", active: "billing" }),
  );
