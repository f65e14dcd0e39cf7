import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/`. */
export const overviewPage = (app: Api) =>
  app.get("/", page, signedIn, (c) =>
    show(c, <PageHead title="Overview" />, { title: "Overview", active: "overview" }),
  );
