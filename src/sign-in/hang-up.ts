import { configOf } from "../config/config.ts";
import { inboxNamed, pageInbox } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import { bothOf } from "../objects.ts";

/**
 * Closes the live sockets of an account after a session of its person has ended; browsers that are still signed in
 * reconnect by themselves. An object that cannot be reached is only logged, so that it cannot fail the sign-out.
 */
export async function hangUp(env: Env, accountId: string): Promise<void> {
  const config = configOf(env);
  const { live, test } = bothOf(env, accountId);
  const lists = [live.hangUp(), test.hangUp()];
  // The local inbox requires no session.
  if (config.ENVIRONMENT !== "local") {
    const inbox = pageInbox(config, () => accountId);
    lists.push(inboxNamed(env, inbox).hangUp());
  }
  for (const done of await Promise.allSettled(lists)) {
    if (done.status === "rejected") logProblem("live", done.reason);
  }
}
