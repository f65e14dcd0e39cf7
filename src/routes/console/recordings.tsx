import type { Api } from "../../app.ts";
import { page, show, signedIn } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/recordings`. */
export const recordingsPages = (app: Api) =>
  app.get("/recordings", page, signedIn, (c) =>
    show(c, <PageHead title="Voice files" />, { title: "Voice files", active: "recordings" }),
  );
