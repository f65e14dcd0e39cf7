import type { Api } from "../../app.ts";
import { settings } from "../../app.ts";
import { at, formOf, page, personOf, safeNext, show, signedIn } from "../../console.tsx";
import { fail } from "../../errors.ts";
import { demoPerson } from "../../people.ts";
import { endSession, endSessionsOf, startSession } from "../../sessions.ts";
import { PageHead } from "../../ui/parts.tsx";

/** `/sign-in` and `/sign-out`. */
export const signInPages = (app: Api) => {
  app.get("/sign-in", page, (c) =>
    show(
      c,
      <>
        <PageHead title="Sign in" />
        <form method="post" action={at(c, "/sign-in/demo")}>
          <input type="hidden" name="next" value={safeNext(c.req.query("next"))} />
          <button class="btn">Use the demo account</button>
        </form>
      </>,
      { title: "Sign in", bare: true },
    ),
  );

  app.post("/sign-in/demo", page, async (c) => {
    const person = settings(c).ENVIRONMENT === "local" ? await demoPerson(c.env, settings(c)) : null;
    if (!person) return fail("not_found", "There is no demo customer here.");
    await startSession(c, "customer", person.id);
    return c.redirect(at(c, safeNext((await formOf(c))["next"])), 303);
  });

  app.post("/sign-out", page, async (c) => {
    await endSession(c, "customer");
    return c.redirect(at(c, "/sign-in"), 303);
  });

  app.post("/sign-out/everywhere", page, signedIn, async (c) => {
    await endSessionsOf(c, personOf(c).id);
    await endSession(c, "customer");
    return c.redirect(at(c, "/sign-in"), 303);
  });
};
