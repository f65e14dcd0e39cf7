import { documentOf } from "./document.ts";
import type { RouteFile } from "./document.ts";
import { PLACEHOLDERS } from "./placeholders.ts";
import { REPLIES } from "./replies.ts";
import type { OpenApi } from "./types.ts";
import { API, OPERATOR } from "./words.ts";

// The two documents.

/** For programs of an account. */
export const apiDocument = (files: readonly RouteFile[], version: string): OpenApi =>
  documentOf(files, REPLIES, { ...API, version, addresses: PLACEHOLDERS });

/** For the operator. */
export const operatorDocument = (files: readonly RouteFile[], version: string): OpenApi =>
  documentOf(files, REPLIES, { ...OPERATOR, version, addresses: PLACEHOLDERS });
