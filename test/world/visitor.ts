import { env, exports } from "cloudflare:workers";
import { hashOf, newToken } from "../../src/sign-in/sessions.ts";
import { insertPerson, insertSession } from "../../src/db/people.ts";
import type { PersonRow } from "../../src/db/people.ts";
import { randomId } from "../../src/crypto/ids.ts";
import { openWorld } from "./world.ts";
import type { Opening, World } from "./world.ts";

// A browser with a session, for tests of pages: it keeps cookies, and sends an Origin with its posts.

export const CONSOLE = "http://console.localhost";

export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** The page without the hidden field that contains its own address. */
export const shownIn = ({ text }: Page): string => text.replaceAll(/<input type="hidden" name="next"[^>]*>/gu, "");

/** Sends a request to the service. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #fetch: Fetch;
  readonly #console: string;

  /** Visits the suite's service, or another one: `serviceWith` of deployment.ts. */
  constructor(fetch: Fetch = (url, init) => exports.default.fetch(url, init), console = CONSOLE) {
    this.#fetch = fetch;
    this.#console = console;
  }

  /** Sends a request with the cookies; other methods are made of it. */
  async send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie !== "" && { cookie }), ...init.headers };
    const response = await this.#fetch(this.#console + path, { redirect: "manual", ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(set) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.send(path, { headers });
  }

  /** Posts a form as a browser does; `headers` can replace the Origin or ask for JSON. */
  submit(
    path: string,
    form: Record<string, string> | FormData = {},
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const own = { origin: this.#console, ...headers };
    if (form instanceof FormData) return this.send(path, { method: "POST", body: form, headers: own });
    return this.send(path, {
      method: "POST",
      body: new URLSearchParams(form).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...own },
    });
  }
}

/** A signed-in browser, its person, and that person's account. */
export interface Visit {
  visitor: Visitor;
  person: PersonRow;
  world: World;
}

/** A fresh account with a person who signed in `authenticatedAgoMs` ago. */
export async function visit(opening: Opening & { authenticatedAgoMs?: number } = {}): Promise<Visit> {
  const world = await openWorld(opening);
  const nowMs = Date.now();
  const person: PersonRow = {
    id: randomId("psn"),
    accountId: world.ref.accountId,
    name: "Asha",
    phone: null,
    email: null,
    password: null,
    buyer: null,
    createdAt: nowMs,
    devicesSince: 0,
    nextPhone: null,
    nextPhoneAt: null,
  };
  await insertPerson(env.DB, person);
  const token = newToken();
  await insertSession(env.DB, {
    hash: hashOf(token),
    holder: person.id,
    device: "Test",
    createdAt: nowMs,
    authenticatedAt: nowMs - (opening.authenticatedAgoMs ?? 0),
    seenAt: nowMs,
    expiresAt: nowMs + 3_600_000,
  });
  const visitor = new Visitor();
  visitor.cookies.set("session", token);
  if (opening.mode === "test") visitor.cookies.set("mode", "test");
  return { visitor, person, world };
}
