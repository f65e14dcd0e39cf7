import type { CallbackClaim, CallbackResult } from "../model/twilio/callback.ts";
import type { EventPage } from "../model/event.ts";
import type * as webhook from "../model/webhook.ts";
import * as endpoints from "./account/endpoints/changes.ts";
import { readAttempts, readEndpoint, readEndpoints } from "./account/endpoints/rows.ts";
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

  /** Every webhook endpoint, oldest first. */
  endpoints(): webhook.Endpoint[] | null {
    return this.store.read(readEndpoints);
  }

  /** One endpoint with its attempts, oldest first; null for another account's and for an unknown one. */
  endpoint(id: string): { endpoint: webhook.Endpoint; attempts: webhook.Attempt[] } | null {
    return this.store.read((sql) => {
      const endpoint = readEndpoint(sql, id);
      return endpoint && { endpoint, attempts: readAttempts(sql, id) };
    });
  }

  /** Adds an endpoint, which gets the events from now on; the first one turns the account's events on. */
  addEndpoint(
    id: string,
    terms: webhook.EndpointTerms,
    secretId: number,
  ): webhook.Endpoint | webhook.EndpointRefusal | null {
    if (!this.store.isOpened) return null;
    this.store.events.read(null, 1);
    return this.store.change((turn) => endpoints.addEndpoint(turn, id, terms, secretId));
  }

  /** Changes an endpoint, disables it, or enables it again. */
  changeEndpoint(id: string, change: webhook.EndpointChange): webhook.Endpoint | webhook.EndpointRefusal | null {
    // What has happened has its number before `skip` goes on from now.
    if (this.store.isOpened) this.store.events.flush();
    return this.#changed(id, () => this.store.change((turn) => endpoints.changeEndpoint(turn, id, change)));
  }

  /** Deletes an endpoint; false where the account has none with this id. */
  removeEndpoint(id: string): boolean | null {
    return this.#changed(id, () => this.store.change((turn) => endpoints.removeEndpoint(turn, id)));
  }

  /** Gives an endpoint another secret; the one before signs as well for so long, in ms. */
  rotateEndpoint(id: string, overlapMs: number, secretId: number): webhook.Endpoint | webhook.EndpointRefusal | null {
    return this.#changed(id, () =>
      this.store.change((turn) => endpoints.rotateEndpoint(turn, id, overlapMs, secretId)),
    );
  }

  /** Has events sent again, both ends included. */
  replayEvents(id: string, from: number, to: number | null): { replayed: number } | webhook.EndpointRefusal | null {
    return this.store.change((turn) => endpoints.replayEvents(turn, id, from, to));
  }

  /** Notes an attempt that was no event; false where the account has no such endpoint. */
  noteAttempt(id: string, attempt: webhook.Attempt): boolean | null {
    return this.store.change((turn) => endpoints.noteAttempt(turn, id, attempt));
  }

  /** What there is to deliver now. Each claim is reported by `ackEvents`; one that is not is delivered again. */
  claimEvents(): webhook.Claim[] | null {
    return this.store.isOpened ? this.store.webhooks.claim() : null;
  }

  /** Stores what became of a claim, in one row, and returns the endpoint's next one if it is wanted. */
  ackEvents(id: string, lease: number, results: webhook.Posted[], again: boolean): webhook.Claim | null {
    return this.store.isOpened ? this.store.webhooks.settle(id, lease, results, again) : null;
  }

  /** What there is to post to messages' own addresses now. Each claim is reported by `ackCallbacks`. */
  claimCallbacks(): CallbackClaim[] | null {
    return this.store.isOpened ? this.store.callbacks.claim() : null;
  }

  /** Stores what became of a claim, and returns the host's next one if it is wanted. */
  ackCallbacks(host: string, lease: number, results: CallbackResult[], again: boolean): CallbackClaim | null {
    return this.store.isOpened ? this.store.callbacks.settle(host, lease, results, again) : null;
  }

  /** What is on its way under terms that have changed does not count any more. */
  #changed<T>(id: string, change: () => T): T {
    const result = change();
    this.store.webhooks.forget(id);
    return result;
  }
}
