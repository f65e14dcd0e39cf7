import { describe } from "vitest";
import { accountSuite } from "./contract/account.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { fieldSuite } from "./contract/fields.ts";
import { idempotencySuite } from "./contract/idempotency.ts";
import { keySuite } from "./contract/keys.ts";
import { messageIdSuite } from "./contract/message-id.ts";
import { orderSuite } from "./contract/order.ts";
import { transportSuite } from "./contract/transport.ts";

export type { Endpoint } from "./contract/endpoint.ts";

/** The suite that every customer endpoint passes. What is specific to an endpoint is in the endpoint's own test. */
export function contractSuite(endpoint: Endpoint): void {
  describe(`contract of ${endpoint.method} ${new URL(endpoint.url).pathname}`, () => {
    keySuite(endpoint);
    transportSuite(endpoint);
    fieldSuite(endpoint);
    accountSuite(endpoint);
    idempotencySuite(endpoint);
    messageIdSuite(endpoint);
    orderSuite(endpoint);
  });
}
