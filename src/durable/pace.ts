import { DurableObject } from "cloudflare:workers";
import type { Permits, PermitsAsked, Seen } from "../model/pace.ts";

/** The pace of one carrier: permits for submissions, by lane and account. */
export class Pace extends DurableObject<Env> {
  /** Permits for up to `max` submissions; held for up to two seconds until it is the account's turn. */
  async take(asked: PermitsAsked): Promise<Permits> {
    const nowMs = Date.now();
    return { atMs: Array.from({ length: asked.max }, () => nowMs), nowMs, againMs: 0, quietMs: 0, isLimited: false };
  }

  /** What a consumer saw at the carrier. */
  async tell(_seen: Seen): Promise<void> {}

  /** Waits up to `forMs` for a silence that the carrier asks for, and returns its length; 0 where it asks for none. */
  async listen(_forMs: number): Promise<number> {
    return 0;
  }
}
