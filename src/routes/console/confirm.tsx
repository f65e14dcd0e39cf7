import type { Api } from "../../app.ts";
import { page, show } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/confirm`. */
export const confirmPages = (app: Api) =>
  app.get("/confirm", page, (c) => show(c, <PageHead title="/confirm" />, { title: "/confirm", bare: true }));
