import type { Api } from "../../app.ts";
import { page, show } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/desk`. */
export const deskPages = (app: Api) =>
  app.get("/desk", page, (c) => show(c, <PageHead title="/desk" />, { title: "/desk", bare: true }));
