import type { EventPage } from "../model/event.ts";
import { AccountQuestions } from "./account-questions.ts";

/** The part of an account object that tells of its events, and serves its sockets. */
export abstract class AccountEvents extends AccountQuestions {
  /**
   * Events after a number, oldest first, at most `limit` of 500; without a number none, and `last` is where now is. The first
   * call turns the account's events on. Where there are none yet, waits for some, up to `waitMs`.
   */
  async events(after: number | null, limit: number, waitMs = 0): Promise<EventPage | null> {
    return this.store.isOpened ? this.store.events.wait(after, limit, waitMs) : null;
  }

  /**
   * Opens a WebSocket: at `/events`, with the events after `?after=` (contract §14), for the key in `?key=` and `?secret=`;
   * elsewhere with every change, `?from=` being the first job that its client still shows.
   */
  override fetch(request: Request): Response {
    if (!this.store.isOpened) return new Response(null, { status: 404 });
    const { pathname, searchParams } = new URL(request.url);
    const given = (name: string) => (searchParams.has(name) ? Number(searchParams.get(name)) : null);
    if (pathname !== "/events") return this.store.live.accept(given("from") || null);
    const subscriber = { keyId: given("key") ?? 0, secretId: given("secret") ?? undefined };
    return this.store.events.accept(subscriber, given("after"));
  }
}
