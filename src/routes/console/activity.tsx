import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/activity`. */
export const activityPages = (app: Api) =>
  app.get("/activity", page, signedIn, (c) =>
    show(c, <PageHead title="Activity" />, { title: "Activity", active: "activity" }),
  );
