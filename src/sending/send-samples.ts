import type { Config } from "../config.ts";
import { ENDPOINTS, endpointUrl } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { curlOf, keyHeader } from "./curl.ts";
import { SENDS } from "./send-kinds.ts";

// What a form does, as the request of the API that does the same.

/** A curl command that does what a form does; the key comes from a variable of the shell. */
export function sampleOf(config: Config, kind: SendKind): string {
  const endpoint = ENDPOINTS[kind];
  return curlOf({ url: endpointUrl(config, endpoint), auth: keyHeader(endpoint), body: SENDS[kind].example }, 2);
}
