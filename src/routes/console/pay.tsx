import type { Api } from "../../app.ts";
import { page, show } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/pay/:order`. */
export const payPages = (app: Api) =>
  app.get("/pay/:order", page, (c) => show(c, <PageHead title="/pay/:order" />, { title: "/pay/:order", bare: true }));
