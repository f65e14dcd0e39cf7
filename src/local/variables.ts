import { DEMO_SECRET_PREFIX } from "../config.ts";

/**
 * What a local service takes where nothing else is set: secrets for this purpose only, and a seller whose GSTIN has the
 * right form and belongs to no company, so that a plan bought here shows the invoice of a registered seller. They are not
 * in wrangler.toml, and not in the program that is deployed.
 */
export const LOCAL_VARIABLES = {
  KEY_SECRET: `${DEMO_SECRET_PREFIX}key-secret-for-this-machine`,
  SEAL_SECRET: `${DEMO_SECRET_PREFIX}seal-secret-for-this-machine`,
  OPERATOR_TOKEN: `${DEMO_SECRET_PREFIX}operator-token-for-this-machine`,
  SELLER_NAME: "Dastak Demo",
  SELLER_ADDRESS: "1 Example Road, Bengaluru 560001",
  SELLER_GSTIN: "29AAAAA0000A1ZY",
};

/** A secret as a terminal may show it: the demo's own, and never one that was set. */
export function shownSecret(name: keyof typeof LOCAL_VARIABLES, value: string): string {
  return value === LOCAL_VARIABLES[name] ? value : `the ${name} that you set`;
}
