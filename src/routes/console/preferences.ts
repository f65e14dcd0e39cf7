import { formOf } from "../../console/forms.ts";
import { at, page, safeNext } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import { keepCookie } from "../../sign-in/sessions.ts";

const YEAR_MS = 365 * 86_400_000;

/** Preferences of a browser. They do not identify a person, so they need no session. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  lang: ["en", "hi"],
  /** `system` removes the choice: the colours follow the system again. */
  theme: ["light", "dark", "system"],
  mode: ["live", "test"],
  /** The first steps on the overview. */
  steps: ["off"],
};

/** `POST /preferences`: language, colours, and whether the pages show live or test mode. */
export const preferences = (app: Api) =>
  app.post("/preferences", page, async (c) => {
    const form = await formOf(c);
    for (const [name, values] of Object.entries(CHOICES)) {
      const value = form[name];
      if (value === undefined || !values.includes(value)) continue;
      keepCookie(c, name, value, YEAR_MS);
    }
    return c.redirect(at(c, safeNext(form["next"])), 303);
  });
