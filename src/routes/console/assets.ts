import type { Api } from "../../http/app.ts";
import { asset } from "../../http/assets.ts";
import { fail } from "../../http/errors.ts";
import built from "../../ui/built.json";

/** The browser's files by name, with their types. Other static files are no one's to ask for by name. */
const TYPES: Readonly<Record<string, string>> = built.types;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#c2410c"/>' +
  '<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M11 8.5v15h4.5a7.5 7.5 0 0 0 0-15z"/>' +
  '<path d="M15.5 13a3 3 0 0 1 0 6"/></g></svg>';

/** Script, style sheet and fonts. The name has a hash of the content, so that browsers cache each file for good. */
export const assets = (app: Api) => {
  app.get("/assets/icon.svg", (c) =>
    c.body(ICON, 200, { "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400" }),
  );

  app.get("/assets/:name", async (c) => {
    const name = c.req.param("name");
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (type === undefined) return fail("not_found", "There is nothing at this address.");
    const headers = { "Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable" };
    return c.body(await asset(c.env, name), 200, headers);
  });
};
