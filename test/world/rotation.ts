import { env } from "cloudflare:workers";

// Settings of a service whose secrets are being replaced. The account objects keep the suite's own.

export type Secrets = Pick<Cloudflare.Env, "KEY_SECRET" | "SEAL_SECRET">;

/** The settings of one step, of two secrets that have these numbers for each id, the first of which makes. */
export function listing(...ids: number[]): Secrets {
  const value = { KEY_SECRET: env.KEY_SECRET, SEAL_SECRET: env.SEAL_SECRET };
  const listOf = (name: keyof Secrets) =>
    ids.map((id) => `${id}:${id === 1 ? value[name] : `secret-number-${id}-of-the-${name}-in-a-rotation`}`).join(",");
  return { KEY_SECRET: listOf("KEY_SECRET"), SEAL_SECRET: listOf("SEAL_SECRET") };
}

export const PLAIN: Secrets = { KEY_SECRET: env.KEY_SECRET, SEAL_SECRET: env.SEAL_SECRET };
/** The steps of two rotations: list the new secret, make with it, take the old one away, and again. */
export const STEPS = [PLAIN, listing(1, 2), listing(2, 1), listing(2), listing(2, 3), listing(3, 2), listing(3)];
