import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/keys`. */
export const keysPages = (app: Api) =>
  app.get("/keys", page, signedIn, (c) =>
    show(c, <PageHead title="API keys" />, { title: "API keys", active: "keys" }),
  );
