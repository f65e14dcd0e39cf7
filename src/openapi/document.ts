import { Hono } from "hono";
import type * as z from "zod";
import type { BaseName } from "../http/bases.ts";
import type { Doc, Docs, Tag } from "../http/docs.ts";
import { STATUS_OF_CODE } from "../http/errors.ts";
import { SHOWN } from "../http/shown.ts";
import type { Shown } from "../http/shown.ts";
import { HEADERS, PARAMETERS, securitySchemes } from "./components.ts";
import { headerRef, operationOf, socketOf, templateOf } from "./operation.ts";
import type { Found, Replies } from "./operation.ts";
import { FAILURE } from "./replies/failure.ts";
import { Schemas } from "./schemas.ts";
import type { Addresses, Method, OpenApi, OperationObject, PathItem, ResponseObject, SocketObject } from "./types.ts";
import { FAILURE_STATUSES, TAGS, failureWords } from "./words.ts";

// The document of an API (OpenAPI 3.1), made from its route files: what they mount, what the middleware demands, and the
// `docs` beside it. scripts/openapi.mjs runs this when the Worker is built; no Worker contains it.

/** A file of src/routes, with what it exports. */
export interface RouteFile {
  /** Such as `src/routes/sms/send-sms.ts`. */
  name: string;
  exported: Readonly<Record<string, unknown>>;
}

/** What a document says beside its operations. */
export interface About {
  title: string;
  summary: string;
  description: string;
  version: string;
  /** Stand in for the addresses of the deployment, which are known when the document is served. */
  addresses: Addresses;
}

const METHODS: Readonly<Record<string, Method>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "delete",
};

const HOW = '(CONTRIBUTING.md, "A route of the API")';

/** The routes that a file adds, each with the demands of its middleware, by `METHOD /path`. */
function routesOf({ exported }: RouteFile): Map<string, Shown[]> {
  const routes = new Map<string, Shown[]>();
  for (const add of Object.values(exported)) {
    if (typeof add !== "function" || add.length !== 1) continue;
    const app = new Hono();
    try {
      (add as (app: Hono) => unknown)(app);
    } catch {
      // An export that takes no app is not a route.
      continue;
    }
    for (const { method, path, handler } of app.routes) {
      const name = `${method} ${path}`;
      const { [SHOWN]: shown } = handler as { [SHOWN]?: Shown };
      routes.set(name, [...(routes.get(name) ?? []), ...(shown ? [shown] : [])]);
    }
  }
  return routes;
}

/** The base whose routes are in this folder of src/routes. */
function baseOf({ name }: RouteFile, { base }: Doc): BaseName {
  const folder = name.split("/")[2] ?? "";
  if (base !== undefined) return base;
  return folder === "sms" || folder === "tts" || folder === "voice" || folder === "otp" ? folder : "console";
}

interface FoundRoute extends Found {
  file: RouteFile;
}

/** The documented routes of a file. Throws one clear sentence where a route and `docs` do not match. */
function foundIn(file: RouteFile): FoundRoute[] {
  const routes = routesOf(file);
  const docs = (file.exported["docs"] ?? {}) as Docs;
  for (const name of Object.keys(docs)) {
    if (!routes.has(name)) throw new Error(`${file.name} has docs for ${name}, which it does not mount ${HOW}.`);
  }
  return [...routes].flatMap(([name, shown]) => {
    const doc = (docs as Record<string, Docs[keyof Docs] | undefined>)[name];
    if (!doc) throw new Error(`${file.name} mounts ${name}, and exports no docs for it ${HOW}.`);
    if ("leftOut" in doc) return [];
    const [method = "", path = ""] = name.split(" ");
    const known = METHODS[method];
    if (!known) throw new Error(`${file.name} mounts ${name}, and OpenAPI has no word for ${method} ${HOW}.`);
    return [{ file, method: known, path, shown, doc }];
  });
}

/** Says which route a fault belongs to. */
function told<T>({ file, method, path }: FoundRoute, make: () => T): T {
  try {
    return make();
  } catch (problem) {
    const what = problem instanceof Error ? problem.message : String(problem);
    throw new Error(`${file.name}: the docs of ${method.toUpperCase()} ${path}: ${what} ${HOW}.`, { cause: problem });
  }
}

const BASE_WORDS: Readonly<Record<BaseName, string>> = {
  sms: "SMS_URL",
  tts: "TTS_URL",
  voice: "VOICE_URL",
  otp: "OTP_URL",
  console: "CONSOLE_URL",
};

function failures(): Record<string, ResponseObject> {
  const entries = FAILURE_STATUSES.map((status): [string, ResponseObject] => {
    const waits = status === 409 || status === 429 || status === 503;
    const limits = status === 429 ? ["RateLimit-Policy", "RateLimit"] : [];
    const names = ["X-Request-Id", ...(waits ? ["Retry-After"] : []), ...limits];
    return [
      `Failure${status}`,
      {
        description: failureWords(status),
        headers: Object.fromEntries(names.map(headerRef)),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The entries of a record that a text refers to. */
function used<T>(entries: Readonly<Record<string, T>>, kind: string, text: string): Record<string, T> {
  return Object.fromEntries(
    Object.entries(entries).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

const requireNew = (known: ReadonlySet<string>, id: string) => {
  if (known.has(id)) throw new Error(`uses the id ${id}, which another operation has`);
};

/** The document of these files. Throws one clear sentence for what is missing from their `docs`. */
export function documentOf(
  files: readonly RouteFile[],
  byName: Readonly<Record<string, z.ZodType>>,
  { addresses, ...about }: About,
): OpenApi {
  const replies: Replies = { byName, schemas: new Schemas() };
  replies.schemas.of(FAILURE, "output");
  const paths: Record<string, PathItem> = {};
  const sockets: SocketObject[] = [];
  const ids = new Set<string>();
  const tags = new Set<Tag>();
  const serverOf = (base: BaseName) => ({ url: addresses[base], description: BASE_WORDS[base] });
  const order = Object.keys(TAGS);
  const all = files
    .flatMap(foundIn)
    .toSorted((one, other) => order.indexOf(one.doc.tag) - order.indexOf(other.doc.tag));
  for (const found of all) {
    const { doc, method } = found;
    told(found, () => requireNew(ids, doc.id));
    ids.add(doc.id);
    tags.add(doc.tag);
    const server = serverOf(baseOf(found.file, doc));
    const { socket } = doc;
    if (socket) {
      sockets.push({ ...told(found, () => socketOf(found, socket, replies)), server: server.url });
      continue;
    }
    const operation: OperationObject = told(found, () => operationOf(found, replies));
    const item = (paths[templateOf(found.path)] ??= { servers: [server] });
    item[method] = operation;
  }
  const text = JSON.stringify(paths);
  const responses = used(failures(), "responses", text);
  const whole = text + JSON.stringify(responses);
  return {
    openapi: "3.1.1",
    info: { ...about, license: { name: "MIT", identifier: "MIT" } },
    servers: [serverOf("console")],
    tags: (Object.keys(TAGS) as Tag[])
      .filter((tag) => tags.has(tag))
      .map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas: replies.schemas.components,
      responses,
      headers: used(HEADERS, "headers", whole),
      parameters: used(PARAMETERS, "parameters", whole),
      securitySchemes: securitySchemes(text + JSON.stringify(sockets)),
    },
    "x-status-of-code": STATUS_OF_CODE,
    ...(sockets.length > 0 && { "x-websockets": sockets }),
  };
}
