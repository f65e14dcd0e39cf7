import type { Config } from "../config.ts";
import { ENDPOINTS, endpointUrl } from "../model/operations.ts";
import type { SendKind } from "../model/operations.ts";
import { curlOf, keyHeader } from "./curl.ts";
import { SENDS } from "./send-kinds.ts";

// The API request that does the same as a form.

/** A curl command that does the same as a form; the key comes from a shell variable. */
export function sampleOf(config: Config, kind: SendKind): string {
  const endpoint = ENDPOINTS[kind];
  return curlOf({ url: endpointUrl(config, endpoint), auth: keyHeader(endpoint), body: SENDS[kind].example }, 2);
}
