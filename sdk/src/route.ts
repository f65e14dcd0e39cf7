import type { Base } from "./options.ts";

/** What a request is, apart from its values. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  base: Base;
  /** With its parameters in braces: `/v1/messages/{id}`. */
  path: string;
  /** Where the key goes; `Authorization: Bearer` unless it is said. */
  key?: "x-api-key" | undefined;
  /** Whether the service recognises an Idempotency-Key here, so that a POST can be repeated. */
  keyed?: true | undefined;
}

/** The values of a request. */
export interface Values {
  /** For the path, in its order. */
  path?: readonly unknown[] | undefined;
  query?: object | undefined;
  body?: object | undefined;
  /** A body that is CSV. */
  csv?: string | undefined;
}

/** How the arguments of a method become a request, and its reply what the method gives. */
export interface OperationRoute extends Route {
  /** What it takes beside the parameters of its path. */
  takes?: "body" | "query" | "csv" | undefined;
  /** A list, or a text that comes in pieces; one object unless it is said. */
  gives?: "list" | "text" | undefined;
  /** The parameter that says for how many seconds the service may hold the request, and how many it does without. */
  held?: { by: string; usualSec: number } | undefined;
}
