import { DEMO_SECRET_PREFIX } from "../crypto/secret-faults.ts";

/**
 * The defaults of a local service: secrets for this purpose only, and a seller with a well-formed GSTIN that belongs to
 * no company, so that a plan bought locally gets the invoice of a registered seller. They are neither in wrangler.toml
 * nor in the deployed program.
 */
export const LOCAL_VARIABLES = {
  KEY_SECRET: `${DEMO_SECRET_PREFIX}key-secret-for-this-machine`,
  SEAL_SECRET: `${DEMO_SECRET_PREFIX}seal-secret-for-this-machine`,
  OPERATOR_TOKEN: `${DEMO_SECRET_PREFIX}operator-token-for-this-machine`,
  SELLER_NAME: "Dastak Demo",
  SELLER_ADDRESS: "1 Example Road, Bengaluru 560001",
  SELLER_GSTIN: "29AAAAA0000A1ZY",
};

/** A secret for the terminal: shows the default, and never one that the developer set. */
export function shownSecret(name: keyof typeof LOCAL_VARIABLES, value: string): string {
  return value === LOCAL_VARIABLES[name] ? value : `the ${name} that you set`;
}
