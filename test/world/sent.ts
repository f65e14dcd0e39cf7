import { env } from "cloudflare:workers";
import { unseal } from "../../src/crypto/seal.ts";
import { claim } from "./world.ts";
import type { World } from "./world.ts";

// What a carrier would get.

/** The single messages that wait in the account, in order: number, text and sender. */
export async function sentBy(world: World) {
  const jobs = await claim(world, { carrier: "sim" });
  return jobs.flatMap(({ messages, text, content }) =>
    messages.map(({ to }) => ({
      to,
      text: text === null ? null : unseal(env.SEAL_SECRET, world.name, text),
      ...(content.sender !== undefined && { sender: content.sender }),
    })),
  );
}
