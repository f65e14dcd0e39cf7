import type { BaseName } from "../http/bases.ts";
import type { JsonSchema } from "./schemas.ts";

// The parts of OpenAPI 3.1 that the documents use.

export interface Header {
  description: string;
  schema: JsonSchema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Ref {
  $ref: string;
}

export interface Media {
  schema: JsonSchema;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Header | Ref>;
  content?: Record<string, Media>;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: (Parameter | Ref)[];
  requestBody?: { required: boolean; description?: string; content: Record<string, Media> };
  responses: Record<string, ResponseObject | Ref>;
  /** Every error code of the operation; their statuses are those of `Failure`. */
  "x-error-codes": string[];
  /** The largest body, in bytes. */
  "x-body-bytes-max"?: number;
  /** Whether it debits the balance. */
  "x-billable"?: true;
  /** The least role of the operator who may do it. */
  "x-role"?: string;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

export type PathItem = { [M in Method]?: OperationObject } & {
  servers: { url: string; description: string }[];
};

/** A WebSocket, which OpenAPI has no words for. */
export interface SocketObject {
  operationId: string;
  tags: string[];
  path: string;
  server: string;
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  message: JsonSchema;
  /** What a client may send, each with what follows. */
  takes: Record<string, string>;
  /** The codes with which the service closes it, each with what a client does then. */
  closes: Record<string, string>;
  /** Why it does not open: the error codes of the refused request. */
  "x-error-codes": string[];
}

export interface OpenApi {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, Header>;
    parameters: Record<string, Parameter>;
    securitySchemes: Record<string, Record<string, string>>;
  };
  /** The status of each error code. */
  "x-status-of-code": Record<string, number>;
  "x-websockets"?: SocketObject[];
}

/** The addresses of a deployment's bases. */
export type Addresses = Readonly<Record<BaseName, string>>;
