import { PRODUCT } from "../config/settings.ts";
import type { Config } from "../config/settings.ts";
import { endpointUrl } from "../model/operations.ts";
import type { Endpoint } from "../model/operations.ts";

// API requests as curl commands, for every page that shows one.

/** The shell variable that holds the key in commands. */
const KEY_VARIABLE = `$${PRODUCT.toUpperCase()}_KEY`;

/** The header with the key, up to the key. */
export function keyHeader({ keyIn }: Endpoint): string {
  return keyIn[0] === "x-api-key" ? "X-Api-Key: " : "Authorization: Bearer ";
}

/** An endpoint's URL for programs on the reader's machine. Locally by path: many systems do not resolve *.localhost. */
export function reachableUrl(config: Config, endpoint: Endpoint): string {
  return config.ENVIRONMENT === "local" ? config.CONSOLE_URL + endpoint.path : endpointUrl(config, endpoint);
}

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Needs no quotes in any shell. */
const PLAIN = /^[\w:/.-]+$/u;

/** Stands in a body where the command has the shell variable OTP: a code that no page may show. */
export const OTP_PLACE = "\ue000";

/** JSON as one word of a POSIX shell, with the variable OTP where it belongs. */
const bodyWord = (json: string): string => json.split(OTP_PLACE).map(shellWord).join('"$OTP"');

/** A POST of JSON as a command for a POSIX shell. A header with a `$` names a variable of that shell. */
export function curlCommand(url: string, header: string, json: string): string {
  return [
    `curl ${PLAIN.test(url) ? url : shellWord(url)}`,
    `-H ${header.includes("$") ? `"${header}"` : shellWord(header)}`,
    "-H 'Content-Type: application/json'",
    `-d ${bodyWord(json)}`,
  ].join(" \\\n  ");
}

/** JSON with line separators and direction marks escaped, so that none reorders the text after it on the screen. */
function plainJson(body: unknown, indent?: number): string {
  return JSON.stringify(body, null, indent).replaceAll(
    /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (letter) => String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** A request as a program would send it. */
export interface ApiRequest {
  url: string;
  /** The header with the key, up to the key. */
  auth: string;
  body: object;
}

/** The request as a command; the key comes from the variable DASTAK_KEY. */
export function curlOf({ url, auth, body }: ApiRequest, indent?: number): string {
  return curlCommand(url, auth + KEY_VARIABLE, plainJson(body, indent));
}
