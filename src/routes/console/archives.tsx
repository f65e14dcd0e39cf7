import { archiveNamed, archivesOf } from "../../accounts/archives.ts";
import { page, refOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { ArchivesPage } from "../../ui/settings/archives.tsx";
import { archiveWords } from "../../ui/words/archives.ts";
import { archiveHeaders } from "../operator/archives.ts";

const PAGE_SIZE = 60;

/** `/settings/archives`: the files of what is too old to be listed, and each of them to download. */
export const archivePages = (app: Api) => {
  app.get("/settings/archives", page, signedIn, async (c) => {
    const ref = refOf(c);
    const after = /^[1-9]\d{0,14}$/u.test(c.req.query("after") ?? "") ? Number(c.req.query("after")) : 0;
    const found = await archivesOf(c.env, ref, after, PAGE_SIZE);
    if (!found) return fail("not_found", "There is no such account.");
    const { HISTORY_DAYS, TEST_DAYS } = settings(c);
    const days = ref.mode === "test" ? TEST_DAYS : HISTORY_DAYS;
    const { title } = archiveWords[viewOf(c).lang];
    return show(c, <ArchivesPage page={found} days={days} />, { title, active: "settings" });
  });

  app.get("/settings/archives/:name", page, signedIn, async (c) => {
    const name = c.req.param("name");
    const object = await archiveNamed(c.env, refOf(c), name);
    if (!object) return fail("not_found", "There is nothing at this address.");
    return c.body(object.body, 200, archiveHeaders(object, name));
  });
};
